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

  /// - Parameter parseURL: Parses an absolute URL; returns nil for anything else.
  package init(parseURL: @escaping @Sendable (String) -> WebURL?) {
    self.parseURL = parseURL
  }

  package func read(_ bytes: [UInt8]) throws(ManifestError) -> AppManifest {
    let checked = try CheckedPropertyList(bytes)
    return try manifest(try InfoDictionary(checked), checked.keys)
  }

  /// Returns the Info.plist as XML without a declaration, and with `removed@` instead of user information in its strings. It
  /// has the same findings.
  package static func xml(_ bytes: [UInt8]) throws(ManifestError) -> String {
    let checked = try CheckedPropertyList(bytes)
    _ = try InfoDictionary(checked)
    guard checked.isBinary || checked.mayHaveUserInformation else { return checked.text }
    do {
      let original = try PropertyListSerialization.propertyList(from: Data(checked.bytes), format: nil)
      let values = try PropertyListDecoder().decode(PropertyListValue.self, from: Data(checked.decodable))
      let marked = values.withMarkedUserInformation
      guard checked.isBinary || marked != values || checked.hasDuplicateKeys else { return checked.text }
      let list = marked.propertyList(original)
      let xml = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
      guard !xml.contains(0) else { throw ManifestError.notAPropertyList(.containsNUL) }
      let rewritten = try CheckedPropertyList(Array(xml))
      let text = rewritten.text.addingDuplicates(checked.keys, besides: rewritten.keys)
      return try CheckedPropertyList(Array(text.utf8)).text
    } catch let error as ManifestError {
      throw error
    } catch {
      throw .notAPropertyList(.malformed)
    }
  }

  /// Reads the keys of an Info.plist from a JSON object, with the same findings.
  package func read(infoPlist: JSON) throws(ManifestError) -> AppManifest {
    try manifest(InfoDictionary(infoPlist), infoPlist.members.map(\.name))
  }

  private func manifest(_ info: InfoDictionary, _ keys: [String]) throws(ManifestError) -> AppManifest {
    let bundleIdentifier = try info.checkedBundleIdentifier()
    let device = DeviceSupport(info)
    let spelling = KeyReview(keys)
    let endpoint = EndpointReview(
      endpoint: .report, value: info.endpoint, url: info.endpoint?.string.flatMap(parseURL),
      nearMisses: spelling.nearMisses(of: .endpoint))
    let attribution = AdAttributionReview(info, reportEndpoint: endpoint, parseURL: parseURL)
    let findings = [
      endpoint.findings, spelling.findings, DuplicateKeys(keys).findings, device.findings, attribution.findings,
      AdKeysReview(info).findings,
    ]
    return AppManifest(
      bundleIdentifier: bundleIdentifier, reportEndpoint: info.endpoint?.string, endpoint: endpoint.url,
      isMacCatalyst: device.isMacCatalyst, adAttribution: attribution.adAttribution,
      findings: ManifestFinding.Severity.allCases.sorted().flatMap { severity in
        findings.joined().filter { $0.severity == severity }
      })
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

  init(_ bytes: [UInt8]) throws(ManifestError) {
    guard bytes.count <= ManifestReader.sizeLimit else { throw .tooLarge(limit: ManifestReader.sizeLimit) }
    isBinary = bytes.starts(with: "bplist".utf8)
    if isBinary {
      let structure = try BinaryStructure(bytes)
      try structure.check(depthLimit: ManifestReader.depthLimit)
      (self.bytes, decodable, keys) = (bytes, bytes, try structure.keys())
    } else {
      let text = try XMLText(bytes).bytes
      var structure = XMLStructure(text, depthLimit: ManifestReader.depthLimit)
      try structure.check()
      (self.bytes, decodable, keys) = (text, structure.withEscapedNull, structure.keys)
    }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

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
    do {
      // The decoder reads only the values that it is asked for. A device reads all of them, and rejects the file with the first
      // that is not of its type, such as <integer>q</integer>.
      _ = try PropertyListSerialization.propertyList(from: Data(checked.bytes), format: nil)
      self = try PropertyListDecoder().decode(InfoDictionary.self, from: Data(checked.decodable))
    } catch {
      throw .notAPropertyList(.malformed)
    }
  }

  /// Returns the bundle identifier when it is valid.
  fileprivate func checkedBundleIdentifier() throws(ManifestError) -> String {
    guard let value = bundleIdentifier else { throw .missingBundleIdentifier }
    guard case .string(let text) = value else { throw .wrongType(key: "CFBundleIdentifier", expected: "a string") }
    guard text.utf8.contains(where: { $0 > 0x20 }) else { throw .missingBundleIdentifier }
    guard !text.hasBuildSetting else { throw .unresolvedBuildSetting(key: "CFBundleIdentifier") }
    guard !text.hasSpaceAround else { throw .badBundleIdentifier(.padded) }
    let limit = BundleIdentifier.maximumLength
    guard text.utf8.count <= limit else { throw .badBundleIdentifier(.tooLong(limit: limit)) }
    guard BundleIdentifier.hasAllowedCharacters(text) else { throw .badBundleIdentifier(.characters) }
    return text
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
