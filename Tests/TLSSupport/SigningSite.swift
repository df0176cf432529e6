import Foundation
import PCMCore
package import PCMCrypto

/// A site that serves one token key and signs every request, with a cookie in each response. The server records the
/// requests.
package struct SigningSite: Sendable {
  package let key: TokenPrivateKey

  /// The replacements of the responses to requests for a key and for a signature; nil for valid responses.
  package var keyReply: Reply?
  package var signatureReply: Reply?
  /// Modifies a blind signature before it is sent.
  package var spoil: @Sendable ([UInt8]) -> [UInt8] = { $0 }

  package init(key: TokenPrivateKey) { self.key = key }

  /// A response as of `fraudPreventionTestURL.py` in the conformance cases: status 201, JSON, and a cookie.
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
