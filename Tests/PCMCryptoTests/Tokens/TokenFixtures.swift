import Crypto
import CryptoExtras
import Foundation
import PCMCrypto

/// The files in `Fixtures/tokens`.
enum TokenFixtures {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/tokens")

  static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8).trimmingCharacters(in: .newlines)
  }

  static func json<Content: Decodable>(_ name: String) throws -> Content {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Content.self, from: Data(text(name).utf8))
  }

  /// Returns the key of a file, or for 4096 bits the key of the walk-through vector.
  static func signingKey(bits: Int) throws -> TokenPrivateKey {
    if bits == 4096 { return try WalkThrough.load().signingKey() }
    return try TokenPrivateKey(pem: text("signing-key-\(bits).pem"))
  }
}

/// The published vector: every value in hexadecimal digits.
struct RFCVector: Decodable {
  let p, q, n, e, d, msg, salt, encodedMsg, inv, blindedMsg, blindSig, sig: String

  static func load() throws -> RFCVector { try TokenFixtures.json("rfc9474-pss-deterministic.json") }

  func signingKey() throws -> TokenPrivateKey { try privateKey(n: n, e: e, d: d, p: p, q: q) }
}

/// The vector of this project. Byte strings are in base64url, or in hexadecimal if the name ends in `Hex`.
struct WalkThrough: Decodable {
  struct Key: Decodable {
    let nHex, eHex, dHex, pHex, qHex: String
  }

  let key: Key
  let tokenPublicKey, keyId, token, pssSaltHex, blindRHex, encodedMessageHex: String
  let unlinkableTokenInRequest, unlinkableTokenInResponse, secretTokenSignature: String

  static func load() throws -> WalkThrough { try TokenFixtures.json("unlinkable-token-vector.json") }

  func signingKey() throws -> TokenPrivateKey {
    try privateKey(n: key.nHex, e: key.eHex, d: key.dHex, p: key.pHex, q: key.qHex)
  }
}

/// A token and a signature in plain base64, as published.
struct BrowserToken: Decodable {
  let token, signature: Data

  static func load() throws -> BrowserToken { try TokenFixtures.json("browser-token.json") }
}

/// Returns a key with these numbers. It goes through PEM, which `TokenPrivateKey` reads.
private func privateKey(n: String, e: String, d: String, p: String, q: String) throws -> TokenPrivateKey {
  let key = try _RSA.BlindSigning.PrivateKey(
    n: bytes(n), e: bytes(e), d: bytes(d), p: bytes(p), q: bytes(q), parameters: .RSABSSA_SHA384_PSS_Deterministic)
  return try TokenPrivateKey(pem: key.pemRepresentation)
}

/// Returns the bytes of hexadecimal digits. An odd number of digits is padded with a leading zero.
func bytes(_ hexadecimal: String) -> [UInt8] {
  let digits = Array(hexadecimal.utf8).map { UInt8(Character(UnicodeScalar($0)).hexDigitValue ?? 0) }
  let even = digits.count.isMultiple(of: 2) ? digits : [0] + digits
  return stride(from: 0, to: even.count, by: 2).map { even[$0] << 4 | even[$0 + 1] }
}
