import Foundation
import PCMCore
import PCMCrypto
import SignatureSupport
import Testing

@Suite struct PublicKeyTests {
  private static let names = ["skadnetwork-p192", "skadnetwork-p256"]

  @Test("A key is the same as PEM, as DER, and as Base64, with line breaks or without", arguments: names)
  func forms(_ name: String) throws {
    let pem = try DeviceFixtures.bytes("keys/\(name).public.pem")
    let key = try PublicKey(file: pem)
    #expect(key.curve.rawValue.lowercased().replacing("-", with: "") == name.suffix(4))
    #expect(try PublicKey(file: key.spki).spki == key.spki)
    let base64 = Base64.encode(key.spki)
    let broken = base64.prefix(40) + "\r\n" + base64.dropFirst(40) + "\n"
    for text in [base64, base64 + "\n", String(broken)] {
      #expect(try PublicKey(file: Array(text.utf8)).spki == key.spki)
    }
    let commented = Array("A test key\n".utf8) + pem
    #expect(try PublicKey(file: commented).spki == key.spki)
  }

  @Test("A private key has the public key of its file", arguments: names + ["ad-network"])
  func pairs(_ name: String) throws {
    let key = try DeviceFixtures.privateKey(name)
    #expect(key.publicKey.spki == (try PublicKey(file: DeviceFixtures.bytes("keys/\(name).public.pem")).spki))
    #expect("\(key)" == "<private key>")
  }

  @Test("A private key with the point of another key is an error", arguments: [("skadnetwork-p256", "ad-network")])
  func mismatchedPair(_ name: String, _ other: String) throws {
    let pem = try DeviceFixtures.text("keys/\(name).private.pem")
    let content = pem.split(separator: "\n").dropFirst().dropLast().joined()
    let point = try DeviceFixtures.privateKey(other).publicKey.spki.suffix(65)
    let mismatched = try Data(#require(Base64.decode(content)).dropLast(65) + point)
    let lines = mismatched.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    #expect(throws: KeyError.notPrivateKey) {
      try PrivateKey(pem: "-----BEGIN PRIVATE KEY-----\n\(lines)\n-----END PRIVATE KEY-----\n")
    }
  }

  @Test(
    "Other files are errors that name the cause",
    arguments: [
      ("", .empty), (" \n", .empty), ("no key", .notBase64), ("TUlJ", .notSubjectPublicKeyInfo),
      ("-----BEGIN PUBLIC KEY-----\nMFkw", .malformedPEM),
      ("-----BEGIN CERTIFICATE-----\nTUlJ\n-----END CERTIFICATE-----\n", .wrongPEMLabel("CERTIFICATE", expected: "PUBLIC KEY")),
      (String(repeating: "A", count: 16_385), .tooLarge(limit: 16_384)),
    ] as [(String, KeyError)])
  func otherFiles(_ text: String, _ error: KeyError) {
    #expect(throws: error) { try PublicKey(file: Array(text.utf8)) }
  }

  @Test func aPrivateKeyIsNoPublicKey() throws {
    let file = try DeviceFixtures.bytes("keys/ad-network.private.pem")
    let error = #expect(throws: KeyError.self) { try PublicKey(file: file) }
    #expect(error?.detail.contains("openssl pkey -in FILE -pubout") == true)
    #expect(throws: KeyError.wrongPEMLabel("PUBLIC KEY", expected: "PRIVATE KEY")) {
      try PrivateKey(pem: DeviceFixtures.text("keys/ad-network.public.pem"))
    }
  }

  @Test("A truncated key and one with further bytes are errors", arguments: names)
  func truncations(_ name: String) throws {
    let spki = try PublicKey(file: DeviceFixtures.bytes("keys/\(name).public.pem")).spki
    for count in spki.indices { #expect(throws: KeyError.self, "\(count)") { try PublicKey(spki: Array(spki[..<count])) } }
    #expect(throws: KeyError.notSubjectPublicKeyInfo) { try PublicKey(spki: spki + [0]) }
  }

  @Test("A point that is not on the curve is an error", arguments: names)
  func otherPoint(_ name: String) throws {
    var spki = try PublicKey(file: DeviceFixtures.bytes("keys/\(name).public.pem")).spki
    spki[spki.count - 1] ^= 1
    #expect(throws: KeyError.pointNotOnCurve) { try PublicKey(spki: spki) }
  }

  @Test("A changed byte results in an error, or in a key that verifies no signature of the original", arguments: names)
  func changedBytes(_ name: String) throws {
    let key = try DeviceFixtures.privateKey(name)
    let signature = try key.sign([1, 2, 3])
    #expect(key.publicKey.verifies(signature, over: [1, 2, 3]))
    for index in key.publicKey.spki.indices {
      for bit in 0..<8 {
        var changed = key.publicKey.spki
        changed[index] ^= 1 << bit
        guard let other = try? PublicKey(spki: changed) else { continue }
        #expect(!other.verifies(signature, over: [1, 2, 3]), "byte \(index), bit \(bit)")
      }
    }
  }
}
