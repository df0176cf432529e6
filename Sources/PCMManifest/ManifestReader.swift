import Foundation
package import PCMCore

/// Reads an untrusted Info.plist of an app, in XML or binary format.
///
/// Foundation's decoder overflows the stack with deep nesting and exhausts memory with repeated references, so the
/// structure is checked before it decodes the file.
///
/// ```swift
/// let parser = SiteParser(publicSuffixList: .builtIn())
/// let reader = ManifestReader(parseURL: { try? parser.url($0) })
/// let manifest = try reader.read(infoPlist)
/// for finding in manifest.findings where finding.severity == .error { print(finding.code, finding.detail) }
/// ```
package struct ManifestReader: Sendable {
  /// The maximum size, which no real manifest approaches.
  package static let sizeLimit = 1_048_576
  package static let depthLimit = 64

  private let parseURL: @Sendable (String) -> WebURL?
  private let isHosted: @Sendable (Site) -> Bool

  /// - Parameters:
  ///   - parseURL: Parses an absolute URL; returns nil for anything else.
  ///   - isHosted: Returns whether a registrable domain is a name at a hosting service.
  package init(
    parseURL: @escaping @Sendable (String) -> WebURL?, isHosted: @escaping @Sendable (Site) -> Bool = { _ in false }
  ) {
    self.parseURL = parseURL
    self.isHosted = isHosted
  }

  /// Reads the manifest of an app.
  ///
  /// - Parameter bundleIdentifier: The identifier of an app whose manifest lacks it or has a build setting in its place.
  /// - Throws: An error also for a manifest without a bundle identifier, unless it is given.
  package func read(_ bytes: [UInt8], named bundleIdentifier: String? = nil) throws(ManifestError) -> AppManifest {
    let checked = try CheckedPropertyList(bytes)
    return try app(InfoDictionary(try checked.values()), checked.keys, bundleIdentifier)
  }

  /// Reads a manifest without knowing the app.
  package func review(_ bytes: [UInt8]) throws(ManifestError) -> ManifestReview {
    let checked = try CheckedPropertyList(bytes)
    return review(InfoDictionary(try checked.values()), checked.keys)
  }

  /// Returns an Info.plist in XML that has the same findings, for a replay. Its strings have `removed@` instead of user
  /// information.
  ///
  /// - Parameter bundleIdentifier: The identifier that it gets if it has none or a build setting in its place.
  package static func xml(_ bytes: [UInt8], named bundleIdentifier: String? = nil) throws(ManifestError) -> String {
    let checked = try CheckedPropertyList(bytes)
    var (values, keys) = (try checked.values(), checked.keys)
    if let bundleIdentifier, try InfoDictionary(values).checkedBundleIdentifier() == nil {
      let key = InfoDictionary.Key.bundleIdentifier.rawValue
      if values.updateValue(.string(bundleIdentifier), forKey: key) == nil { keys.append(key) }
    }
    let text = xml(values, keys)
    // A binary property list can contain characters that XML cannot.
    guard !text.utf8.contains(0) else { throw .notAPropertyList(.containsNUL) }
    return text
  }

  /// Returns the keys of an Info.plist as XML that has the same findings, for a replay.
  package static func xml(infoPlist: JSON) -> String { xml(infoPlist.values, infoPlist.members.map(\.name)) }

  /// - Parameter keys: The keys of the outermost dictionary in order. Of a duplicate, the last one counts.
  private static func xml(_ values: [String: PropertyListValue], _ keys: [String]) -> String {
    let last = Dictionary(keys.enumerated().map { ($1, $0) }) { $1 }
    let entries = keys.enumerated().map { index, key in
      let value = last[key] == index ? values[key]?.withMarkedUserInformation : nil
      return key.xmlKey + (value?.xml ?? "<true/>")
    }
    return "<plist version=\"1.0\"><dict>\(entries.joined())</dict></plist>\n"
  }

  /// Reads the keys of an Info.plist from a JSON object, with the same findings.
  package func read(infoPlist: JSON, named bundleIdentifier: String? = nil) throws(ManifestError) -> AppManifest {
    try app(InfoDictionary(infoPlist.values), infoPlist.members.map(\.name), bundleIdentifier)
  }

  /// Whether a JSON object has a key of an Info.plist.
  package static func isInfoPlist(_ json: JSON) -> Bool {
    json.members.contains { $0.name.hasPrefix("CFBundle") || $0.name.utf8.count <= 80 && KeyCatalog.key(named: $0.name) != nil }
  }

  /// Returns the key of an Info.plist that an option of a config plugin means by its name; nil for another option.
  package static func key(ofOption name: String) -> String? {
    guard name.utf8.count <= 80 else { return nil }
    let name = name.hasPrefix("ios") ? String(name.dropFirst(3)) : name
    let key = KeyCatalog.key(named: name) ?? KeyCatalog.key(resembling: name)
    return key.flatMap { $0.isTopLevel ? $0.path : nil }
  }

  /// Reads the keys of an Info.plist from a JSON object without knowing the app.
  ///
  /// - Parameter notes: Findings about the file around the object.
  package func review(infoPlist: JSON, notes: [ManifestFinding] = []) -> ManifestReview {
    review(InfoDictionary(infoPlist.values), infoPlist.members.map(\.name), notes)
  }

  private func app(_ info: InfoDictionary, _ keys: [String], _ name: String?) throws(ManifestError) -> AppManifest {
    guard let identifier = try info.checkedBundleIdentifier() ?? name else { throw info.identifierGap }
    return AppManifest(bundleIdentifier: identifier, review: review(info, keys))
  }

  private func review(_ info: InfoDictionary, _ keys: [String], _ notes: [ManifestFinding] = []) -> ManifestReview {
    let device = DeviceSupport(info)
    let spelling = KeyReview(keys)
    var nested = FindingGroups()
    let intended = spelling.intended.union(info.nestedKeys.add(to: &nested, unless: spelling.explains))
    let used = info.participations.union(intended)
    let urls = EndpointURLs(parse: parseURL, isHosted: isHosted)
    let endpoint = EndpointReview(
      .report, info[.endpoint], urls, nearMisses: spelling.nearMisses(of: .endpoint),
      isExpected: used.subtracting([.tracking]).isEmpty || used.contains(.clicks))
    let attribution = AdAttributionReview(info, reportEndpoint: endpoint, urls)
    let app = NamedApp(info, used: endpoint.isExpected ? used.union([.clicks]) : used)
    let findings = [
      app.findings, endpoint.findings, spelling.findings, DuplicateKeys(keys).findings,
      endpoint.isExpected ? device.findings : [],
      attribution.findings, nested.findings, AdKeysReview(info, attribution.adAttribution).findings, notes,
    ].joined()
    let sorted = ManifestFinding.Severity.allCases.flatMap { severity in findings.filter { $0.severity == severity } }
    let judging = Judging(
      used: used, unknown: attribution.unknown.union(endpoint.isUnknown ? [.clicks, .skAdNetworkAdvertiser] : []),
      values: attribution.adAttribution)
    return ManifestReview(
      reportEndpoint: info[.endpoint]?.string, endpoint: endpoint.url, platform: device.platform,
      adAttribution: attribution.adAttribution, findings: sorted, judgments: judging.judgments(sorted),
      bundleIdentifier: app.identifier)
  }
}

/// The app that the manifest names, or why the name is none.
private struct NamedApp {
  let identifier: String?
  let findings: [ManifestFinding]

  /// - Parameter used: The parts that the app takes in measurements. None works for an app without a valid name.
  init(_ info: InfoDictionary, used: Set<Participation>) {
    do throws(ManifestError) {
      (identifier, findings) = (try info.checkedBundleIdentifier(), [])
    } catch {
      (identifier, findings) = (nil, [ManifestFinding(.bundleIdentifierInvalid, error.detail, about: used)])
    }
  }
}

/// A property list whose structure has been checked.
private struct CheckedPropertyList {
  let isBinary: Bool
  /// A binary property list unchanged, or an XML property list as UTF-8 without a declaration.
  let bytes: [UInt8]
  /// The same property list in a form in which Foundation's decoder reads all strings.
  let decodable: [UInt8]
  /// The keys of the outermost dictionary with duplicates, which Foundation omits.
  let keys: [String]
  /// The number of lines of an XML property list before `bytes`.
  private(set) var omittedLineCount = 0

  init(_ bytes: [UInt8]) throws(ManifestError) {
    guard bytes.count <= ManifestReader.sizeLimit else { throw .tooLarge(limit: ManifestReader.sizeLimit) }
    isBinary = bytes.starts(with: "bplist".utf8)
    if isBinary {
      let structure = try BinaryStructure(bytes)
      try structure.check(depthLimit: ManifestReader.depthLimit)
      (self.bytes, decodable, keys) = (bytes, bytes, try structure.keys())
    } else {
      let text = try XMLText(bytes)
      var structure = XMLStructure(text, depthLimit: ManifestReader.depthLimit)
      try structure.check()
      (self.bytes, decodable, keys) = (text.bytes, structure.withEscapedNull, structure.keys)
      omittedLineCount = text.omitted.count { $0 == UInt8(ascii: "\n") }
    }
    if let kind = FileKind(keys: keys) { throw .otherFile(kind) }
  }

  /// Returns the members of the outermost dictionary.
  func values() throws(ManifestError) -> [String: PropertyListValue] {
    do {
      // The decoder skips a value that is not of its type, such as <integer>q</integer>. A device rejects the file.
      _ = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
      return try PropertyListDecoder().decode([String: PropertyListValue].self, from: Data(decodable))
    } catch {
      throw rejection(error as NSError)
    }
  }

  /// Returns the error for a property list that Foundation rejects. For XML, it has the line in Foundation's description.
  private func rejection(_ error: NSError) -> ManifestError {
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    let description = cause.userInfo["NSDebugDescription"] as? String ?? ""
    guard !isBinary, let match = description.firstMatch(of: /line ([0-9]{1,7})/), let line = Int(match.output.1) else {
      return .notAPropertyList(.malformed)
    }
    return .malformedXML(XMLProblem(line: line + omittedLineCount, column: nil, .rejected))
  }
}

extension InfoDictionary {
  /// Why the manifest alone does not name the app.
  fileprivate var identifierGap: ManifestError {
    self[.bundleIdentifier]?.string?.hasBuildSetting == true
      ? .unresolvedBuildSetting(key: Key.bundleIdentifier.rawValue) : .missingBundleIdentifier
  }

  /// Returns the bundle identifier when it is valid; nil when it is missing or a build setting.
  fileprivate func checkedBundleIdentifier() throws(ManifestError) -> String? {
    guard let value = self[.bundleIdentifier] else { return nil }
    guard case .string(let text) = value else { throw .wrongType(key: "CFBundleIdentifier", expected: "a string") }
    guard text.utf8.contains(where: { $0 > 0x20 }), !text.hasBuildSetting else { return nil }
    guard !text.hasSpaceAround else { throw .badBundleIdentifier(.padded) }
    let limit = BundleIdentifier.maximumLength
    guard text.utf8.count <= limit else { throw .badBundleIdentifier(.tooLong(limit: limit)) }
    guard BundleIdentifier.hasAllowedCharacters(text) else { throw .badBundleIdentifier(.characters) }
    return text
  }
}

extension JSON {
  fileprivate var values: [String: PropertyListValue] {
    Dictionary(members.map { ($0.name, PropertyListValue($0.value)) }) { $1 }
  }
}

extension String {
  /// Whether the string begins or ends with a space, a tab, or a line break.
  var hasSpaceAround: Bool { first?.isWhitespace == true || last?.isWhitespace == true }
}
