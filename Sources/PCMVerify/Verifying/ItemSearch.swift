package import PCMCore
internal import PCMCrypto

/// A postback or an impression within JSON, such as an element of an array.
package struct FoundItem: Hashable, Sendable {
  /// The JSON pointer of the value.
  package let pointer: String
  let value: JSON
  /// Whether the value is a postback or an impression; false for another element of an array, and for a report.
  let isItem: Bool
  /// Whether the value is a report of a click, whose tokens alone are signed.
  var isReport = false
}

/// A verdict on an item, with its place.
package struct FoundVerdict: Hashable, Sendable {
  /// The JSON pointer of the item; empty for the whole text.
  package let pointer: String
  /// The item; a string for text that is not JSON.
  package let value: JSON
  package let verdict: SignatureVerdict
  package var isReport = false
}

/// Finds postbacks and impressions within JSON: the elements of an array, the members of an envelope, and the `skadn` objects
/// of OpenRTB bids.
enum ItemSearch {
  /// The nesting of a string that may be Base64 of gzip, as in subscriptions of CloudWatch. Its content has texts as any other.
  private static let compressedNesting = 3
  /// The maximum number of bytes of such a string's content.
  private static let contentLimit = 8 * SignatureVerifier.sizeLimit

  static func items(in value: JSON) -> [FoundItem] {
    guard case .array(let elements) = value else { return search(value, "", texts: compressedNesting) }
    return elements.enumerated().flatMap { index, element in
      let found = search(element, "/\(index)", texts: compressedNesting)
      return found.isEmpty ? [FoundItem(pointer: "/\(index)", value: element, isItem: false)] : found
    }
  }

  /// - Parameter texts: The maximum nesting of strings that contain JSON, and one more where a string may be compressed.
  private static func search(_ value: JSON, _ pointer: String, texts: Int) -> [FoundItem] {
    switch value {
    case .object(let members): search(members, pointer, texts: texts)
    case .array(let elements):
      elements.enumerated().flatMap { search($0.element, "\(pointer)/\($0.offset)", texts: texts) }
    case .string(let text): search(text, pointer, texts: texts)
    case .null, .bool, .number, .verbatim: []
    }
  }

  private static func search(_ members: [JSON.Member], _ pointer: String, texts: Int) -> [FoundItem] {
    let fidelities = fidelities(of: members, pointer)
    if !fidelities.isEmpty { return fidelities }
    if ItemKind(members) != nil { return [FoundItem(pointer: pointer, value: .object(members), isItem: true)] }
    if OtherItem.isReport(Set(members.map(\.name))) {
      return [FoundItem(pointer: pointer, value: .object(members), isItem: false, isReport: true)]
    }
    return members.flatMap { search($0.value, pointer + "/" + JSONPointer.escaped($0.name), texts: texts) }
  }

  /// The maximum numbers of fidelities and members of a `skadn` object. OpenRTB has two types of fidelity and some ten members.
  private static let (fidelityLimit, memberLimit) = (8, 64)

  /// Returns the ads of a `skadn` object, which contains the common values of all fidelities.
  private static func fidelities(of members: [JSON.Member], _ pointer: String) -> [FoundItem] {
    guard members.count <= memberLimit, let fidelities = members.first(where: { $0.name == "fidelities" }) else { return [] }
    let items = fidelities.value.items.prefix(fidelityLimit)
    return items.enumerated().compactMap { index, fidelity in
      let own = Set(fidelity.members.map(\.name) + ["fidelities"])
      let merged = members.filter { !own.contains($0.name) } + fidelity.members
      guard ItemKind(merged) != nil else { return nil }
      return FoundItem(pointer: "\(pointer)/fidelities/\(index)", value: .object(merged), isItem: true)
    }
  }

  private static func search(_ text: String, _ pointer: String, texts nesting: Int) -> [FoundItem] {
    guard nesting > 0, text.utf8.count >= 32 else { return [] }
    if text.utf8.contains(UInt8(ascii: ".")), (try? CompactJWS(text)) != nil {
      return [FoundItem(pointer: pointer, value: .string(text), isItem: true)]
    }
    let trimmed = text.trimmed
    let isJSON = trimmed.hasPrefix("{") || trimmed.hasPrefix("[")
    // Logs have words before an object.
    let object = trimmed.hasSuffix("}") ? trimmed.firstIndex(of: "{").map { Array(trimmed[$0...].utf8) } : nil
    let bytes = isJSON ? Array(trimmed.utf8) : Base64.decode(trimmed)
    let isCompressed = nesting == compressedNesting && bytes.map(Inflater.isGzip) == true
    let content = isCompressed ? bytes.flatMap { Inflater.content(of: $0, upTo: contentLimit) } : bytes
    let parsed = [content, object].lazy.compactMap { $0.flatMap { JSON(parsing: $0, keepingNumbers: true) } }
    guard let value = parsed.first else { return [] }
    let rest = isCompressed ? nesting - 1 : min(nesting, compressedNesting - 1) - 1
    switch value {
    case .object, .array: return search(value, pointer, texts: rest)
    case .null, .bool, .number, .string, .verbatim: return []
    }
  }
}

extension SignatureVerifier {
  /// Verifies each postback and impression in JSON, or the whole item if it contains none.
  ///
  /// - Parameter isLine: Whether the bytes are a line of a log, which may have words before an item.
  package func verdicts(on bytes: [UInt8], isLine: Bool = false) -> [FoundVerdict] {
    let first = bytes.first { !$0.isJSONWhiteSpace }
    let isArray = first == UInt8(ascii: "[")
    let isJSON = (isArray || first == UInt8(ascii: "{")) && (isArray || bytes.count <= Self.sizeLimit)
    let parsed = isJSON ? JSON(parsing: bytes, keepingNumbers: true) : nil
    let text = JSON.string(parsed == nil ? String(decoding: bytes, as: UTF8.self) : nil)
    if let parsed, let verdict = verdict(onValue: parsed) {
      return [FoundVerdict(pointer: "", value: parsed, verdict: verdict)]
    }
    let items = (parsed ?? (isLine && bytes.count <= Self.sizeLimit ? text : nil)).map(ItemSearch.items) ?? []
    guard items.contains(where: { $0.isItem || $0.isReport || OtherItem.item($0.value) != nil }) else {
      return [FoundVerdict(pointer: "", value: parsed ?? text, verdict: verdict(on: bytes))]
    }
    return items.map { FoundVerdict(pointer: $0.pointer, value: $0.value, verdict: verdict(on: $0), isReport: $0.isReport) }
  }

  func verdict(on item: FoundItem) -> SignatureVerdict {
    if item.isReport, let other = OtherItem.item(item.value) { return other.verdict }
    return verdict(onValue: item.value) ?? verdict(on: item.value.string.map { Array($0.utf8) } ?? item.value.bytes)
  }
}

/// The kind of a JSON object, by the names of its members in any spelling.
enum ItemKind {
  /// An AdAttributionKit postback.
  ///
  /// - Parameter name: The name of the member with the JSON Web Signature.
  case wrapper(name: String)
  /// A JSON Web Signature in the JSON serialization.
  ///
  /// - Parameter text: The compact serialization.
  case jsonSerialization(text: String)
  /// A postback of SKAdNetwork.
  case postback
  /// An impression of SKAdNetwork.
  case impression

  /// Returns nil for other objects.
  init?(_ members: [JSON.Member]) {
    let jws = members.first { $0.name == "jws-string" } ?? members.first { MemberSpelling.plain($0.name) == "jwsstring" }
    if let jws {
      self = .wrapper(name: jws.name)
    } else if MemberNames.arePostback(members) {
      self = .postback
    } else if let text = CompactJWS.compact(members) {
      self = .jsonSerialization(text: text)
    } else if MemberNames.areImpression(members) {
      self = .impression
    } else {
      return nil
    }
  }
}
