import PCMTokens
import TLSSupport

/// A site that serves one token key and signs whatever it is asked to, with a cookie in every answer. What it is asked is
/// kept byte for byte by the server that it answers for.
struct SigningSite {
  let key: TokenPrivateKey

  /// What is said to requests for a key and for a signature in place of the right answers; nil for those.
  var keyReply: Reply?
  var signatureReply: Reply?
  /// What is done to a blind signature before it leaves.
  var spoil: @Sendable ([UInt8]) -> [UInt8] = { $0 }

  /// As `fraudPreventionTestURL.py` of the cases answers: status 201, JSON, and a cookie.
  static func json(_ name: String, _ value: String) -> Reply { reply(#"{"\#(name)":"\#(value)"}"#) }

  static func reply(_ body: String, type: String = "application/json") -> Reply {
    Reply(
      201, headers: [.init("Content-Type", type), .init("Set-Cookie", "id=1; Secure; Path=/")], body: Array(body.utf8))
  }

  func answer(_ request: RecordedRequest) -> Reply {
    switch request.target.split(separator: "/").last {
    case "get-token-public-key": return keyReply ?? Self.json("token_public_key", key.publicKeyWire)
    case "sign-unlinkable-token": return signatureReply ?? signed(request)
    default: return Self.reply("{}")
    }
  }

  private func signed(_ request: RecordedRequest) -> Reply {
    guard let blinded = try? blindedMessage(request), let signature = try? key.sign(blindedMessage: blinded) else {
      return Self.reply("{}")
    }
    return Self.json("unlinkable_token", Base64URL.encode(spoil(signature)))
  }

  private func blindedMessage(_ request: RecordedRequest) throws -> [UInt8]? {
    try textMembers(String(decoding: request.body, as: UTF8.self)).first { $0.key.hasSuffix("_unlinkable_token") }
      .flatMap { Base64URL.decode($0.value) }
  }
}
