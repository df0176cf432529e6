import Foundation
package import PCMCore
package import PCMCrypto
package import PCMNetwork

/// A site that serves its token key and signs whatever it is asked to, with a real key of 2048 bits.
package struct TokenSigner: Sendable {
  package let key: TokenPrivateKey

  package init(_ name: String = "signing-key-2048.pem") throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/tokens")
    key = try TokenPrivateKey(pem: String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8))
  }

  /// The answer to a request about tokens; to any other request, the answer to a report.
  package func answer(_ request: OutgoingRequest) -> Exchange {
    if request.url.hasSuffix("/get-token-public-key/") {
      return Self.answer(["token_public_key": .string(key.publicKeyWire)])
    }
    guard BrowserRequest.isSigning(request) else { return Exchange(httpStatus: 200) }
    guard let signature = try? sign(request) else { return Exchange(httpStatus: 400) }
    return Self.answer(["unlinkable_token": .string(Base64URL.encode(signature))])
  }

  /// The blind signature that a request asks for.
  package func sign(_ request: OutgoingRequest) throws -> [UInt8] {
    let body = try JSONDecoder().decode(JSON.self, from: Data(request.body ?? []))
    let blinded = body.members.first { $0.name.hasSuffix("_unlinkable_token") }?.value
    guard body.members.count == 4, case .string(let text)? = blinded, let bytes = Base64URL.decode(text) else {
      throw TokenError.wrongBlindedMessageSize(0, expected: key.publicKey.modulusByteCount)
    }
    return try key.sign(blindedMessage: bytes)
  }

  package static func answer(_ body: JSON, contentType: String = "application/json") -> Exchange {
    Exchange(httpStatus: 201, contentType: contentType, body: body.bytes)
  }
}
