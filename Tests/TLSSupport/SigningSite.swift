import Foundation
import PCMCore
package import PCMTokens

/// A site that serves one token key and signs whatever it is asked to, with a cookie in every answer. What it is asked is
/// kept byte for byte by the server that it answers for.
package struct SigningSite: Sendable {
  package let key: TokenPrivateKey

  /// What is said to requests for a key and for a signature in place of the right answers; nil for those.
  package var keyReply: Reply?
  package var signatureReply: Reply?
  /// What is done to a blind signature before it leaves.
  package var spoil: @Sendable ([UInt8]) -> [UInt8] = { $0 }

  package init(key: TokenPrivateKey) { self.key = key }

  /// As `fraudPreventionTestURL.py` of the conformance cases answers: status 201, JSON, and a cookie.
  package static func reply(_ body: String, type: String = "application/json") -> Reply {
    Reply(201, headers: [.init("Content-Type", type), .init("Set-Cookie", "id=1; Secure; Path=/")], body: Array(body.utf8))
  }

  package static func reply(_ name: String, _ value: String) -> Reply { reply(#"{"\#(name)":"\#(value)"}"#) }

  package func answer(_ request: RecordedRequest) -> Reply {
    switch request.target.split(separator: "/").last {
    case "get-token-public-key": return keyReply ?? Self.reply("token_public_key", key.publicKeyWire)
    case "sign-unlinkable-token": return signatureReply ?? signed(request)
    default: return Self.reply("{}")
    }
  }

  private func signed(_ request: RecordedRequest) -> Reply {
    let members = (try? JSONDecoder().decode(JSON.self, from: Data(request.body)))?.members ?? []
    guard case .string(let text)? = members.first(where: { $0.name.hasSuffix("_unlinkable_token") })?.value,
      let blinded = Base64URL.decode(text), let signature = try? key.sign(blindedMessage: blinded)
    else { return Self.reply("{}") }
    return Self.reply("unlinkable_token", Base64URL.encode(spoil(signature)))
  }
}
