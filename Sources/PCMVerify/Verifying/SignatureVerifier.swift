internal import PCMCore
package import PCMCrypto

/// Verifies postbacks and impressions of SKAdNetwork 1.0 to 4.0 and of AdAttributionKit.
package struct SignatureVerifier: Sendable {
  /// The maximum size of an item in bytes.
  package static let sizeLimit = 1_048_576

  /// The keys of devices for postbacks, either Apple's keys or the corresponding test keys; empty if keys are given.
  let deviceKeys: [AppleKey: NamedKey]
  /// The keys of ad networks for impressions; empty if keys are given.
  let networkKeys: [NamedKey]
  /// The given keys; nil to use the keys above.
  let givenKeys: [NamedKey]?
  /// Apple's keys, to explain a signature that fails with the test keys; empty with other keys. A header with one of their names
  /// claims Apple's signature.
  let appleKeys: [NamedKey]
  /// The published test keys, to explain a signature that fails with Apple's keys; empty with other keys.
  let testKeys: [NamedKey]
  /// The Public Suffix List; nil to check only the format of a web ad's website.
  let domains: (@Sendable (_ host: String) -> String?)?

  /// - Parameter domains: Returns the registrable domain of a host in lower case, or nil for a public suffix. A device that
  ///   requests the values of a web ad for a known website needs no list.
  package init(
    _ keys: VerificationKeys, domains: (@Sendable (_ host: String) -> String?)? = nil
  ) throws(KeyError) {
    self.domains = domains
    switch keys {
    case .apple:
      var deviceKeys: [AppleKey: NamedKey] = [:]
      for key in AppleKey.allCases { deviceKeys[key] = try NamedKey(apple: key) }
      var testKeys: [NamedKey] = []
      for pair in TestKeyPair.allCases { testKeys.append(try NamedKey(pair)) }
      (self.deviceKeys, networkKeys, givenKeys, self.testKeys, appleKeys) = (deviceKeys, [], nil, testKeys, [])
    case .test:
      var deviceKeys: [AppleKey: NamedKey] = [:]
      for pair in TestKeyPair.allCases { if let key = pair.appleKey { deviceKeys[key] = try NamedKey(pair) } }
      var appleKeys: [NamedKey] = []
      for key in AppleKey.allCases { appleKeys.append(try NamedKey(apple: key)) }
      (self.deviceKeys, networkKeys, givenKeys, testKeys) = (deviceKeys, [try NamedKey(.adNetwork)], nil, [])
      self.appleKeys = appleKeys
    case .given(let keys): (deviceKeys, networkKeys, givenKeys, testKeys, appleKeys) = ([:], [], keys, [], [])
    }
  }

  /// Verifies an item: the JSON of a postback or an impression, or a compact JSON Web Signature.
  package func verdict(on bytes: [UInt8]) -> SignatureVerdict {
    guard bytes.count <= Self.sizeLimit else { return .unreadable("The item has more than \(Self.sizeLimit) bytes.") }
    let item = bytes.drop(while: \.isJSONWhiteSpace).droppingLast(while: \.isJSONWhiteSpace)
    guard !item.isEmpty else { return .unreadable("The item is empty.") }
    if Self.isCompactJWS(item) { return verdict(onJWS: String(decoding: item, as: UTF8.self), wrapper: nil) }
    let value = JSON(parsing: bytes, keepingNumbers: true)
    if let verdict = value.flatMap(verdict(onValue:)) { return verdict }
    if let verdict = ItemRepair.verdict(on: Array(item), by: self) { return verdict }
    // The positions of syntax errors are relative to the start of the bytes.
    return value.map(Self.unknown) ?? Self.malformed(bytes, by: self)
  }

  /// Returns the verdict on JSON; nil if it is neither a postback nor an impression.
  func verdict(onValue value: JSON) -> SignatureVerdict? {
    guard case .object(let members) = value, let kind = ItemKind(members) else { return nil }
    switch kind {
    case .wrapper(let name): return verdict(onWrapper: members, name: name)
    case .jsonSerialization(let text):
      let fault = Fault("", "The JSON Web Signature is a JSON object; devices and endpoints read its compact serialization.")
      return verdict(onJWS: text, wrapper: nil).repaired(by: [CompactJWS.jsonSerialization], fault)
    case .postback: return verdict(onPostback: members)
    case .impression: return verdict(onImpression: members).verdict
    }
  }

  /// Returns the verdict on an object with a member `jws-string`, in any spelling.
  private func verdict(onWrapper members: [JSON.Member], name: String) -> SignatureVerdict {
    let pointer = "/" + JSONPointer.escaped(name)
    let value = members.first { $0.name == name }?.value
    guard let text = value?.string else {
      let decoded = value.flatMap { OtherItem.decodedToken($0.members) }
      return SignatureVerdict(
        framework: .adattributionkit, subject: .postback,
        faults: [
          Fault(
            pointer,
            "\(name.asShown(upTo: 60)) must be a string with a JSON Web Signature\(decoded == nil ? "" : ", not decoded").")
        ], remedy: decoded.map { SignatureRemedy(instruction: $0.instruction) })
    }
    guard name != "jws-string" else { return verdict(onJWS: text, wrapper: members) }
    let renamed = members.map { member in
      let known = AdAttributionKitPostback.wrapperNames.first { MemberSpelling.plain($0) == MemberSpelling.plain(member.name) }
      return JSON.Member(known ?? member.name, member.value)
    }
    let shown = name.asShown(upTo: 60)
    let repair = Repair(
      finding: "\(shown) is not the name of the member", change: "as jws-string", instruction: "Write jws-string for \(shown).")
    return verdict(onJWS: text, wrapper: renamed)
      .repaired(by: [repair], Fault(pointer, "The member is named \(shown); it must be jws-string."))
  }

  /// Returns the verdict on JSON that is neither a postback nor an impression, but may contain some.
  private static func unknown(_ value: JSON) -> SignatureVerdict {
    let pointers = ItemSearch.items(in: value).filter(\.isItem).map(\.pointer)
    if pointers.isEmpty, let other = OtherItem.item(value) { return other.verdict }
    let remedy = pointers.first.map { first in
      SignatureRemedy(
        finding: pointers.count == 1 ? "\(first) is an item." : "\(first) is the first of \(pointers.count) items.",
        instruction: "Pass the value alone.")
    }
    let detail =
      if case .object = value {
        SignatureVerdict.neither
      } else {
        "The item is not a JSON object: pass a postback, an impression, or a JSON Web Signature."
      }
    return SignatureVerdict(framework: nil, subject: nil, faults: [Fault("", detail)], remedy: remedy)
  }

  /// Returns the verdict on invalid JSON, with its syntax errors.
  private static func malformed(_ bytes: [UInt8], by verifier: SignatureVerifier) -> SignatureVerdict {
    if Inflater.isGzip(bytes) {
      return .unreadable("The item is compressed with gzip. Decompress it first, as with `gunzip`.")
    }
    if bytes.first(where: { !$0.isJSONWhiteSpace }) == UInt8(ascii: "<") {
      return .unreadable("The item is XML or HTML. Pass a postback or an impression, which are JSON.")
    }
    if let verdict = otherText(String(decoding: bytes, as: UTF8.self).trimmed, by: verifier) { return verdict }
    if JSON.isTooDeep(bytes) { return .unreadable("The JSON has more than \(JSON.depthLimit) levels of arrays and objects.") }
    let (flaws, repaired) = JSONFlaw.all(in: bytes)
    guard !flaws.isEmpty else { return .unreadable(Self.unrepresentable(bytes)) }
    let verdict = repaired.flatMap { JSON(parsing: $0, keepingNumbers: true) }.flatMap { verifier.verdict(onValue: $0) }
    let faults = flaws.map { Fault("", "The item is not JSON: \($0.text)") }
    let remedy = verdict.map { verdict in
      let result = verdict.check == .verifies ? "the signature verifies" : "the item can be read"
      return SignatureRemedy(
        finding: "With \(flaws.count == 1 ? "this correction" : "these corrections") \(result).",
        instruction: verdict.fix ?? "Write the item with a JSON library.")
    }
    return SignatureVerdict(framework: nil, subject: nil, faults: faults, remedy: remedy)
  }

  /// Returns the verdict on a form or an HTTP message that contains no item; nil for other texts.
  private static func otherText(_ text: String, by verifier: SignatureVerifier) -> SignatureVerdict? {
    if let message = HTTPText(text), HTTPText(message.content) == nil {
      return verifier.verdict(on: Array(message.content.utf8))
        .repaired(by: [TextRepair.httpMessage.repair("the item")], Fault("", "The item is a request with its header lines."))
    }
    guard let parameters = FormText.parameters(of: text),
      parameters.count > 1 || PostbackName.meant(by: parameters[0].name) != nil
    else { return nil }
    let names = parameters.prefix(6).map { $0.name.asShown(upTo: 40) }.joined(separator: ", ")
    return SignatureVerdict(
      framework: nil, subject: nil,
      faults: [Fault("", "The item is a form and not JSON. Its members (\(names)) are not a postback with its signature.")],
      remedy: SignatureRemedy(
        instruction: "Pass the body as the device sent it: JSON, with attribution-signature or jws-string."))
  }

  /// The fault of JSON that cannot be represented.
  private static func unrepresentable(_ bytes: [UInt8]) -> String {
    let value = JSON(parsing: bytes, keepingNumbers: true, keepingDuplicates: true)
    guard let name = value.flatMap(twice) else { return "The JSON has a member twice, or an unpaired surrogate." }
    return "The JSON has a member twice: \(name.asShown(upTo: 60)). Programs differ in which one they read; remove one."
  }

  /// Returns the name of a duplicate member.
  private static func twice(_ value: JSON) -> String? {
    var names = Set<String>()
    let own = value.members.first { !names.insert($0.name).inserted }?.name
    return own ?? (value.members.map(\.value) + value.items).lazy.compactMap(twice).first
  }

  /// Returns whether the text has only characters of Base64URL and periods. JSON has other characters, except in words and
  /// numbers.
  private static func isCompactJWS(_ text: ArraySlice<UInt8>) -> Bool {
    text.contains(UInt8(ascii: "."))
      && text.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "="),
          UInt8(ascii: "+"), UInt8(ascii: "/"):
          true
        default: false
        }
      }
  }
}
