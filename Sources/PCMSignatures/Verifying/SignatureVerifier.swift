internal import PCMCore

/// Verifies postbacks and impressions of SKAdNetwork 1.0 to 4.0 and of AdAttributionKit.
package struct SignatureVerifier: Sendable {
  /// The limit for the bytes of an item.
  package static let sizeLimit = 1_048_576

  /// The keys of devices for postbacks, Apple's or the test keys in their place; empty if others are given.
  let deviceKeys: [AppleKey: NamedKey]
  /// The keys of ad networks for impressions; empty if others are given.
  let networkKeys: [NamedKey]
  /// The given keys; nil for those above.
  let givenKeys: [NamedKey]?
  /// The published test keys, to explain a signature that Apple's keys do not verify; empty with other keys.
  let testKeys: [NamedKey]

  package init(_ keys: VerificationKeys) throws(KeyError) {
    switch keys {
    case .apple:
      var deviceKeys: [AppleKey: NamedKey] = [:]
      for key in AppleKey.allCases { deviceKeys[key] = try NamedKey(key) }
      var testKeys: [NamedKey] = []
      for pair in TestKeyPair.allCases { testKeys.append(try NamedKey(pair)) }
      (self.deviceKeys, networkKeys, givenKeys, self.testKeys) = (deviceKeys, [], nil, testKeys)
    case .test:
      var deviceKeys: [AppleKey: NamedKey] = [:]
      for key in AppleKey.allCases { deviceKeys[key] = try NamedKey(TestKeyPair(inPlaceOf: key)) }
      (self.deviceKeys, networkKeys, givenKeys, testKeys) = (deviceKeys, [try NamedKey(.adNetwork)], nil, [])
    case .given(let keys): (deviceKeys, networkKeys, givenKeys, testKeys) = ([:], [], keys, [])
    }
  }

  /// Verifies an item: the JSON of a postback or an impression, or a compact JSON Web Signature.
  package func verdict(on bytes: [UInt8]) -> SignatureVerdict {
    guard bytes.count <= Self.sizeLimit else { return .unreadable("The item has more than \(Self.sizeLimit) bytes.") }
    let text = bytes.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    guard let first = text.first else { return .unreadable("The item is empty.") }
    if text.count == 1, Self.isCompactJWS(first) {
      return verdict(onJWS: String(decoding: first, as: UTF8.self), wrapper: nil)
    }
    guard let value = JSON(parsing: bytes, keepingNumbers: true) else { return .unreadable(Self.parsingError(bytes)) }
    guard case .object(let members) = value else {
      return .unreadable("The item is not a JSON object: pass a postback, an impression, or a JSON Web Signature.")
    }
    return verdict(on: members)
  }

  private func verdict(on members: [JSON.Member]) -> SignatureVerdict {
    let names = Set(members.map(\.name))
    if let jws = members.first(where: { $0.name == "jws-string" }) {
      guard let text = jws.value.string else {
        return SignatureVerdict(
          framework: .adattributionkit, subject: .postback,
          faults: [Fault("/jws-string", "jws-string must be a string with a JSON Web Signature.")])
      }
      return verdict(onJWS: text, wrapper: members)
    }
    if !names.isDisjoint(with: ["attribution-signature", "transaction-id"]) { return verdict(onPostback: members) }
    if !names.isDisjoint(with: ["signature", "nonce"]) { return verdict(onImpression: members).verdict }
    return .unreadable(
      "The object is neither a postback (with attribution-signature or jws-string) nor an impression (with signature).")
  }

  /// Whether the text has only characters of Base64URL and periods: no JSON does, except words and numbers.
  private static func isCompactJWS(_ text: ArraySlice<UInt8>) -> Bool {
    text.contains(UInt8(ascii: "."))
      && text.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "="):
          true
        default: false
        }
      }
  }

  private static func parsingError(_ bytes: [UInt8]) -> String {
    if JSON.isTooDeep(bytes) { return "The JSON has more than \(JSON.depthLimit) levels of arrays and objects." }
    guard let offset = JSON.firstError(in: bytes) else { return "The JSON has a member twice, or an unpaired surrogate." }
    return offset < bytes.count
      ? "The item is not JSON in UTF-8: byte \(offset + 1) is unexpected." : "The item is not JSON: it ends too early."
  }
}
