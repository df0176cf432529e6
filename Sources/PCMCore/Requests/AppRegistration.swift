/// The JSON body of `PUT /v1/browsers/{browser}/apps/{bundleIdentifier}`.
package struct AppRegistration: JSONBody {
  /// The keys of an Info.plist.
  package var infoPlist: JSON?
  package var reportEndpoint: String?
  package var itemIdentifier: Int64?

  /// The largest integer that every JSON parser preserves.
  private static let itemIdentifiers: ClosedRange<Int64> = 1...9_007_199_254_740_991

  package static let definition = BodyDefinition<Self>(
    "An app, by the keys of its Info.plist or by its report endpoint alone. Exactly one of `infoPlist` and `reportEndpoint` is "
      + "present.",
    [
      .optional(
        "infoPlist", \.infoPlist, .infoPlist,
        "The keys of the Info.plist. `CFBundleIdentifier` is the identifier in the path, which is used when it is absent"),
      .optional(
        "reportEndpoint", \.reportEndpoint, .reportEndpoint,
        "`NSAdvertisingAttributionReportEndpoint` of an app without an Info.plist"),
      .optional(
        "itemIdentifier", \.itemIdentifier,
        .integer(
          "an integer from 1 to \(itemIdentifiers.upperBound)", in: itemIdentifiers,
          keywords: [
            .init("minimum", .number(itemIdentifiers.lowerBound)), .init("maximum", .number(itemIdentifiers.upperBound)),
          ]), "The identifier of the app in the App Store, such as 525463029"),
    ],
    rules: [.exactlyOne(of: ["infoPlist", "reportEndpoint"])])

  package init() {}

  package init(reportEndpoint: String, itemIdentifier: Int64? = nil) {
    self.reportEndpoint = reportEndpoint
    self.itemIdentifier = itemIdentifier
  }

  /// The keys of the app's Info.plist, including its bundle identifier.
  package func infoPlist(of bundleIdentifier: String) -> JSON {
    let endpoint = reportEndpoint.map { [JSON.Member("NSAdvertisingAttributionReportEndpoint", .string($0))] }
    let members = infoPlist?.members ?? endpoint ?? []
    let isNamed = members.contains { $0.name == Self.bundleIdentifierKey }
    return .object((isNamed ? [] : [.init(Self.bundleIdentifierKey, .string(bundleIdentifier))]) + members)
  }

  /// The place of the bundle identifier in the body.
  package static let bundleIdentifierPath = ["infoPlist", bundleIdentifierKey]
  package static let bundleIdentifierKey = "CFBundleIdentifier"
}

extension BodyValue<JSON> {
  /// The keys of an Info.plist.
  static let infoPlist = BodyValue(
    description: ValueDescription(
      kind: .object(BodyDescription(text: "The keys of an Info.plist.", members: [])), expected: "an object",
      component: "InfoPlist"),
    read: { (reader) throws(MalformedJSON) in
      guard let value = try reader.anyObject() else { return nil }
      if let path = value.pathOfDuplicate {
        return reader.add(InputError(path, "\(path.last ?? "") is given twice; give it once", .duplicateMember))
      }
      if let path = value.pathOfNull {
        return reader.add(InputError(path, "a property list has no null; omit the key", .wrongType))
      }
      guard let path = value.pathOfNUL else { return value }
      return reader.add(InputError(path, "a property list has no U+0000; remove it"))
    }, json: { $0 })
}

extension BodyValue<String> {
  private static let maximumEndpointLength = 2_048

  static let reportEndpoint = BodyValue(
    description: ValueDescription(
      kind: .text, expected: "a string with an absolute URL",
      keywords: [.init("format", "uri"), .init("maxLength", .number(Int64(maximumEndpointLength)))]),
    read: { (reader) throws(MalformedJSON) in
      guard let text = try reader.text() else { return nil }
      guard text.utf8.count > maximumEndpointLength else { return text }
      return reader.addError("a report endpoint has at most \(maximumEndpointLength) bytes of UTF-8", .outOfRange)
    }, json: { .string($0) })
}

extension JSON {
  /// The path to the first null within the value; nil when there is none.
  fileprivate var pathOfNull: [String]? { path { $0 == .null } }

  /// The path to the first string or key with U+0000 within the value; nil when there is none.
  fileprivate var pathOfNUL: [String]? {
    path { value in
      value.string?.utf8.contains(0) == true || value.members.contains { $0.name.utf8.contains(0) }
    }
  }

  /// The path to the first value that satisfies a condition: this value or one within it.
  private func path(where isSought: (JSON) -> Bool) -> [String]? {
    if isSought(self) { return [] }
    for (name, value) in inner {
      if let path = value.path(where: isSought) { return [name] + path }
    }
    return nil
  }

  /// The path to the first member within the value whose name occurs before in the same object; nil when there is none.
  fileprivate var pathOfDuplicate: [String]? {
    var names: Set<String> = []
    for (name, value) in inner {
      guard names.insert(name).inserted else { return [name] }
      if let path = value.pathOfDuplicate { return [name] + path }
    }
    return nil
  }

  /// The members or the items with their names or indexes.
  private var inner: [(String, JSON)] {
    if case .array(let items) = self { return items.enumerated().map { ("\($0)", $1) } }
    return members.map { ($0.name, $0.value) }
  }
}
