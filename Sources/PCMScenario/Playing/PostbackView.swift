import PCMCore
import PCMCrypto
import PCMVerify

/// A postback of the device as expectations see it.
enum PostbackView {
  /// Returns the postback with the additional members of expectations: `due`, `failure`, `payload`, and `signature`.
  ///
  /// - Parameter start: The start of the scenario, which times are relative to.
  static func expected(_ postback: JSON, since start: Instant) -> JSON {
    let body = postback["body"] ?? .null
    let payload = body["jws-string"]?.string.flatMap { try? CompactJWS($0) }?.payload
    return .object(
      postback.asExpected(since: start).members + [
        .init("payload", payload.map(DrawnMembers.hidden) ?? .null), .init("signature", .string(verdict(on: body))),
      ])
  }

  /// Returns the event about a postback that the device did not create; nil for another event.
  static func dropped(_ event: JSON) -> JSON? {
    guard event["kind"]?.string == EventKind.postbackDropped.rawValue, let detail = event["detail"] else { return nil }
    return .object(
      detail.members.map { member in
        member.name == "reasons" ? .init("reasons", .array(member.value.items.map { $0["code"] ?? .null })) : member
      })
  }

  private static func verdict(on body: JSON) -> String? {
    guard case .object = body else { return nil }
    return switch verifier(of: body)?.verdict(on: body.bytes).check {
    case .verifies: "verified"
    case .fails: "rejected"
    case .notChecked, nil: "unverified"
    }
  }

  /// Verifies with the published test keys, with which the device signs.
  private static func verifier(of body: JSON) -> SignatureVerifier? {
    guard let jws = body["jws-string"]?.string else { return skAdNetworkVerifier }
    guard let pair = (try? CompactJWS(jws)).flatMap({ TestKeyPair(rawValue: $0.keyIdentifier) }) else { return nil }
    return try? SignatureVerifier(.given([NamedKey(pair)]))
  }

  private static let skAdNetworkVerifier = try? SignatureVerifier(
    .given([NamedKey(.skadnetworkP192), NamedKey(.skadnetworkP256)]))
}
