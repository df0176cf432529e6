import Foundation
package import PCMCore

/// Reads an untrusted Info.plist of an app, in XML or binary format.
///
/// Foundation's decoder overflows the stack with deep nesting and exhausts memory with repeated references, so the
/// structure is checked before it decodes the file.
package struct ManifestReader: Sendable {
  /// The maximum size, which far exceeds that of real manifests.
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
    return try app(try InfoDictionary(checked), checked.keys, bundleIdentifier)
  }

  /// Reads a manifest without knowing the app.
  package func review(_ bytes: [UInt8]) throws(ManifestError) -> ManifestReview {
    let checked = try CheckedPropertyList(bytes)
    return review(try InfoDictionary(checked), checked.keys)
  }

  /// Returns the Info.plist as XML without a declaration, and with `removed@` instead of user information in its strings. It
  /// has the same findings.
  ///
  /// - Parameter bundleIdentifier: The identifier that it gets if it has none or a build setting in its place.
  package static func xml(_ bytes: [UInt8], named bundleIdentifier: String? = nil) throws(ManifestError) -> String {
    let checked = try CheckedPropertyList(bytes)
    let name = try InfoDictionary(checked).checkedBundleIdentifier() == nil ? bundleIdentifier : nil
    guard checked.isBinary || checked.mayHaveUserInformation || name != nil else { return checked.text }
    do {
      let original = try PropertyListSerialization.propertyList(from: Data(checked.bytes), format: nil)
      let values = try PropertyListDecoder().decode(PropertyListValue.self, from: Data(checked.decodable))
      let marked = values.withMarkedUserInformation.naming(name)
      guard checked.isBinary || marked != values || checked.hasDuplicateKeys else { return checked.text }
      let list = marked.propertyList(original)
      let xml = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
      guard !xml.contains(0) else { throw ManifestError.notAPropertyList(.containsNUL) }
      let rewritten = try CheckedPropertyList(Array(xml))
      let text = rewritten.text.addingDuplicates(checked.keys, besides: rewritten.keys)
      return try CheckedPropertyList(Array(text.utf8)).text
    } catch let error as ManifestError {
      // A binary property list can contain what XML cannot, which Foundation writes nevertheless.
      if case .malformedXML = error, checked.isBinary { throw .notAPropertyList(.malformed) }
      throw error
    } catch {
      throw .notAPropertyList(.malformed)
    }
  }

  /// Reads the keys of an Info.plist from a JSON object, with the same findings.
  package func read(infoPlist: JSON, named bundleIdentifier: String? = nil) throws(ManifestError) -> AppManifest {
    try app(InfoDictionary(infoPlist), infoPlist.members.map(\.name), bundleIdentifier)
  }

  /// Whether a JSON object has a key of an Info.plist.
  package static func isInfoPlist(_ json: JSON) -> Bool {
    json.members.contains { $0.name.hasPrefix("CFBundle") || $0.name.utf8.count <= 80 && KeyCatalog.key(named: $0.name) != nil }
  }

  /// Reads the keys of an Info.plist from a JSON object without knowing the app.
  package func review(infoPlist: JSON) -> ManifestReview {
    review(InfoDictionary(infoPlist), infoPlist.members.map(\.name))
  }

  private func app(_ info: InfoDictionary, _ keys: [String], _ name: String?) throws(ManifestError) -> AppManifest {
    guard let identifier = try info.checkedBundleIdentifier() ?? name else { throw info.identifierGap }
    return AppManifest(bundleIdentifier: identifier, review: review(info, keys))
  }

  private func review(_ info: InfoDictionary, _ keys: [String]) -> ManifestReview {
    let device = DeviceSupport(info)
    let spelling = KeyReview(keys)
    var nested = FindingGroups()
    let intended = spelling.intended.union(info.nestedKeys.add(to: &nested, unless: spelling.explains))
    let used = info.participations.union(intended)
    let urls = EndpointURLs(parse: parseURL, isHosted: isHosted)
    let endpoint = EndpointReview(
      .report, info.endpoint, urls, nearMisses: spelling.nearMisses(of: .endpoint),
      isExpected: used.isEmpty || used.contains(.clicks))
    let attribution = AdAttributionReview(info, reportEndpoint: endpoint, urls)
    let app = NamedApp(info, used: endpoint.isExpected ? used.union([.clicks]) : used)
    let findings = [
      app.findings, endpoint.findings, spelling.findings, DuplicateKeys(keys).findings,
      endpoint.isExpected ? device.findings : [],
      attribution.findings, nested.findings, AdKeysReview(info, attribution.adAttribution).findings,
    ].joined()
    let sorted = ManifestFinding.Severity.allCases.sorted().flatMap { severity in findings.filter { $0.severity == severity } }
    let judging = Judging(
      used: used, unknown: attribution.unknown.union(endpoint.isUnknown ? [.clicks, .skAdNetworkAdvertiser] : []),
      values: attribution.adAttribution)
    return ManifestReview(
      reportEndpoint: info.endpoint?.string, endpoint: endpoint.url, platform: device.platform,
      adAttribution: attribution.adAttribution, findings: sorted, judgments: judging.judgments(sorted),
      bundleIdentifier: app.identifier)
  }
}

/// The app that the manifest names, or why the name is none.
private struct NamedApp {
  let identifier: String?
  let findings: [ManifestFinding]

  /// - Parameter used: The parts that the app takes in measurements, none of which works for an app without a valid name.
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
  /// A binary property list unchanged, an XML one as UTF-8 without a declaration.
  let bytes: [UInt8]
  /// The same property list in a form that Foundation's decoder reads like its serialization.
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

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the error for a property list that Foundation rejects, with the line in Foundation's description of an XML one.
  func rejection(_ error: NSError) -> ManifestError {
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    let description = cause.userInfo["NSDebugDescription"] as? String ?? ""
    guard !isBinary, let match = description.firstMatch(of: /line ([0-9]{1,7})/), let line = Int(match.output.1) else {
      return .notAPropertyList(.malformed)
    }
    return .malformedXML(XMLProblem(line: line + omittedLineCount, column: nil, .rejected))
  }

  /// Whether an XML property list has an `@`, which may be encoded.
  var mayHaveUserInformation: Bool {
    bytes.contains(UInt8(ascii: "@")) || bytes.contains(UInt8(ascii: "%")) || bytes.firstRange(of: "&#".utf8) != nil
  }

  /// Whether a key of the outermost dictionary occurs more than once. The values that do not count are not decoded, and may
  /// contain user information.
  var hasDuplicateKeys: Bool { Set(keys).count < keys.count }
}

extension InfoDictionary {
  fileprivate init(_ checked: CheckedPropertyList) throws(ManifestError) {
    let list: Any
    do {
      // The decoder reads only the values that it is asked for. A device reads all of them, and rejects the file with the first
      // that is not of its type, such as <integer>q</integer>.
      list = try PropertyListSerialization.propertyList(from: Data(checked.bytes), format: nil)
      self = try PropertyListDecoder().decode(InfoDictionary.self, from: Data(checked.decodable))
    } catch {
      throw checked.rejection(error as NSError)
    }
    readNestedKeys(of: list)
  }

  /// Why the manifest alone does not name the app.
  fileprivate var identifierGap: ManifestError {
    bundleIdentifier?.string?.hasBuildSetting == true
      ? .unresolvedBuildSetting(key: CodingKeys.bundleIdentifier.rawValue) : .missingBundleIdentifier
  }

  /// Returns the bundle identifier when it is valid; nil when it is missing or a build setting.
  fileprivate func checkedBundleIdentifier() throws(ManifestError) -> String? {
    guard let value = bundleIdentifier else { return nil }
    guard case .string(let text) = value else { throw .wrongType(key: "CFBundleIdentifier", expected: "a string") }
    guard text.utf8.contains(where: { $0 > 0x20 }), !text.hasBuildSetting else { return nil }
    guard !text.hasSpaceAround else { throw .badBundleIdentifier(.padded) }
    let limit = BundleIdentifier.maximumLength
    guard text.utf8.count <= limit else { throw .badBundleIdentifier(.tooLong(limit: limit)) }
    guard BundleIdentifier.hasAllowedCharacters(text) else { throw .badBundleIdentifier(.characters) }
    return text
  }
}

extension PropertyListValue {
  /// Returns the manifest with a bundle identifier, if there is one.
  fileprivate func naming(_ bundleIdentifier: String?) -> Self {
    guard let bundleIdentifier, case .dictionary(var members) = self else { return self }
    members[InfoDictionary.CodingKeys.bundleIdentifier.rawValue] = .string(bundleIdentifier)
    return .dictionary(members)
  }
}

extension String {
  /// Returns an XML property list with the duplicate keys that Foundation omitted, before the others, because the last one
  /// counts.
  ///
  /// - Parameters:
  ///   - keys: The original keys of the outermost dictionary.
  ///   - remaining: The keys that the text has.
  fileprivate func addingDuplicates(_ keys: [String], besides remaining: [String]) -> String {
    guard let start = firstRange(of: "<dict>") else { return self }
    var left = Dictionary(remaining.map { (Array($0.utf8), 1) }, uniquingKeysWith: +)
    var duplicates = ""
    for key in keys {
      let count = left[Array(key.utf8), default: 0]
      left[Array(key.utf8)] = count - 1
      if count < 1 { duplicates += "<key>\(key.escapedForXML)</key><true/>" }
    }
    return String(self[..<start.upperBound]) + duplicates + String(self[start.upperBound...])
  }

  private var escapedForXML: String {
    let escapes: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
    return unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
  }

  /// Whether the string begins or ends with a space, a tab, or a line break.
  var hasSpaceAround: Bool { first?.isWhitespace == true || last?.isWhitespace == true }
}
