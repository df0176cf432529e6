/// The JSON body of `PUT /v1/browsers/{browser}/apps/{bundleIdentifier}`.
package struct AppRegistration: JSONBody {
  /// The keys of an Info.plist.
  package var infoPlist: JSON?
  package var reportEndpoint: String?
  package var itemIdentifier: Int64?
  package var sdkVersion: OSVersion?
  package var signing: AppBuild.Signing?
  package var platform: AppBuild.Platform?

  /// The largest integer that every JSON parser preserves.
  private static let itemIdentifiers: ClosedRange<Int64> = 1...9_007_199_254_740_991

  package static let definition = BodyDefinition<Self>(
    "An app, by the keys of its Info.plist or by its report endpoint alone. Exactly one of `infoPlist` and `reportEndpoint` is "
      + "present.",
    [
      .optional(
        "infoPlist", \.infoPlist, .infoPlist,
        "The keys of the Info.plist. `CFBundleIdentifier` is the identifier in the path, which is used when it is absent or a build "
          + "setting"),
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
      .optional(
        "sdkVersion", \.sdkVersion, .version,
        "The version of the iOS SDK with which the app was built; unknown when absent. Two numbers count"),
      .optional(
        "signing", \.signing, .choice(AppBuild.Signing.self),
        "How the app is signed: `store`, by the App Store or another marketplace, or `development`. The default is `store`"),
      .optional(
        "platform", \.platform, .choice(AppBuild.Platform.self),
        "The platform of the app. By default, it is `mac-catalyst` for the Info.plist of a Mac Catalyst app, `visionos` for one of an app "
          + "only for visionOS, and otherwise `ios`. "
          + "An App Clip needs `app-clip`, because its Info.plist looks like an app's"),
    ],
    rules: [.exactlyOne(of: ["infoPlist", "reportEndpoint"])])

  package init() {}

  /// The keys of the app's Info.plist, including its bundle identifier, which replaces a build setting.
  package func infoPlist(of bundleIdentifier: String) -> JSON {
    let endpoint = reportEndpoint.map { [JSON.Member("NSAdvertisingAttributionReportEndpoint", .string($0))] }
    let members = (infoPlist?.members ?? endpoint ?? []).filter { member in
      member.name != Self.bundleIdentifierKey || member.value.string?.hasBuildSetting != true
    }
    let isNamed = members.contains { $0.name == Self.bundleIdentifierKey }
    return .object((isNamed ? [] : [.init(Self.bundleIdentifierKey, .string(bundleIdentifier))]) + members)
  }

  /// Returns the error in an app's platform that contradicts its Info.plist; nil if there is none.
  package func platformError(for platform: AppBuild.Platform) -> InputError? {
    guard let given = self.platform, (given == .macCatalyst) != (platform == .macCatalyst) else { return nil }
    return InputError(
      ["platform"],
      given == .macCatalyst
        ? "the Info.plist is not a Mac Catalyst app's; pass an infoPlist with UIDeviceFamily [6], or omit platform"
        : "the Info.plist is a Mac Catalyst app's; pass the Info.plist of the iOS build, or omit platform",
      .conflictingMembers)
  }

  /// Returns how the app was built, given the platform of its Info.plist.
  package func build(for platform: AppBuild.Platform) -> AppBuild {
    AppBuild(sdk: sdkVersion, signing: signing ?? .store, platform: self.platform ?? platform)
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
      if let path = value.pathOfNullKey {
        return reader.add(InputError(path, "$null is the null of keyed archives, which is not a key; omit it"))
      }
      guard let path = value.pathOfNUL else { return value }
      return reader.add(InputError(path, "a property list has no U+0000; remove it"))
    }, json: { $0 })
}

extension BodyValue<OSVersion> {
  fileprivate static let version = BodyValue(
    description: ValueDescription(
      kind: .text, expected: "a version such as \"18.2\"",
      keywords: [.init("pattern", #"^[0-9]{1,4}([.][0-9]{1,4}){0,2}$"#)]),
    read: { (reader) throws(MalformedJSON) in
      guard let text = try reader.text() else { return nil }
      return OSVersion(text: text)
        ?? reader.addError("\"\(text)\" is not a version; \(reader.member) is one to three numbers, such as \"18.2\"")
    }, json: { .string($0.text) })
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

  /// The path to the first key `$null` within the value; nil when there is none. The decoder of property lists opens no
  /// dictionary with it, so that a replay of the registration would fail.
  fileprivate var pathOfNullKey: [String]? {
    path { value in value.members.contains { $0.name == Self.nullKey } }.map { $0 + [Self.nullKey] }
  }

  private static let nullKey = "$null"

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
  var pathOfDuplicate: [String]? {
    var names = NameList()
    for (name, value) in inner {
      guard names.insert(name) else { return [name] }
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
