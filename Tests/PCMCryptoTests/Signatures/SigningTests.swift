import OpenSSLSupport
import PCMCrypto
import SignatureSupport
import Testing

/// Signatures of both curves, compared with the openssl command.
@Suite struct SigningTests {
  private static let names = ["skadnetwork-p192", "skadnetwork-p256"]
  private static let message = Array("2.0\u{2063}com.example".utf8)

  @Test("A signature verifies with the public key, over the message, and with nothing else", arguments: names)
  func verification(_ name: String) throws {
    let key = try DeviceFixtures.privateKey(name)
    let other = try DeviceFixtures.privateKey(name == Self.names[0] ? Self.names[1] : Self.names[0])
    let signature = try key.sign(Self.message)
    #expect(key.publicKey.verifies(signature, over: Self.message))
    #expect(!key.publicKey.verifies(signature, over: Self.message + [0]))
    #expect(!other.publicKey.verifies(signature, over: Self.message))
    for index in signature.der.indices {
      var changed = signature.der
      changed[index] ^= 1
      let isAccepted = ECDSASignature(der: changed).map { key.publicKey.verifies($0, over: Self.message) } ?? false
      #expect(!isAccepted, "byte \(index)")
    }
  }

  @Test("Zero and numbers that are too large are no signature", arguments: names)
  func extremes(_ name: String) throws {
    let key = try DeviceFixtures.privateKey(name).publicKey
    for byte in [0, 0xFF] as [UInt8] {
      let signature = try #require(ECDSASignature(raw: [UInt8](repeating: byte, count: 64)))
      #expect(!key.verifies(signature, over: Self.message))
    }
  }

  @Test("The openssl command verifies our signatures", arguments: names)
  func verificationByOpenSSL(_ name: String) async throws {
    let openssl = try OpenSSLCommand()
    try openssl.write(DeviceFixtures.bytes("keys/\(name).public.pem"), "public.pem")
    try openssl.write(DeviceFixtures.privateKey(name).sign(Self.message).der, "signature")
    try openssl.write(Self.message, "message")
    #expect(try await openssl.succeeds("dgst -sha256 -verify public.pem -signature signature message"))
    try openssl.write(Self.message + [0], "message")
    #expect(try await !openssl.succeeds("dgst -sha256 -verify public.pem -signature signature message"))
  }

  @Test("Signatures of the openssl command verify", arguments: names)
  func signingByOpenSSL(_ name: String) async throws {
    let openssl = try OpenSSLCommand()
    try openssl.write(DeviceFixtures.bytes("keys/\(name).private.pem"), "private.pem")
    try openssl.write(Self.message, "message")
    try await openssl.run("dgst -sha256 -sign private.pem -out signature message")
    let signature = try #require(ECDSASignature(der: openssl.read("signature")))
    #expect(try DeviceFixtures.privateKey(name).publicKey.verifies(signature, over: Self.message))
  }

  @Test("A private key whose public point is compressed or absent is read", arguments: names)
  func otherForms(_ name: String) async throws {
    let openssl = try OpenSSLCommand()
    try openssl.write(DeviceFixtures.bytes("keys/\(name).private.pem"), "private.pem")
    let signature = try DeviceFixtures.privateKey(name).sign(Self.message)
    for option in ["-ec_conv_form compressed", "-no_public"] {
      let command = option == "-no_public" ? "ec" : "pkey"
      try await openssl.run("\(command) -in private.pem \(option) -out other.pem")
      try await openssl.run("pkcs8 -topk8 -nocrypt -in other.pem -out form.pem")
      #expect(try PrivateKey(pem: openssl.text("form.pem")).sign(Self.message) == signature, "\(option)")
    }
  }

  @Test("Keys of other kinds are errors that name the kind")
  func otherKeys() async throws {
    let openssl = try OpenSSLCommand()
    try await openssl.run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp384r1 -out p384.pem")
    try await openssl.run("pkey -in p384.pem -pubout -out p384.public.pem")
    #expect(throws: KeyError.wrongCurve(objectIdentifier: "1.3.132.0.34")) {
      try PublicKey(file: openssl.read("p384.public.pem"))
    }
    #expect(throws: KeyError.wrongCurve(objectIdentifier: "1.3.132.0.34")) { try PrivateKey(pem: openssl.text("p384.pem")) }
    try await openssl.run("genpkey -algorithm ED25519 -out ed25519.pem")
    try await openssl.run("pkey -in ed25519.pem -pubout -out ed25519.public.pem")
    #expect(throws: KeyError.wrongAlgorithm(objectIdentifier: "1.3.101.112")) {
      try PublicKey(file: openssl.read("ed25519.public.pem"))
    }
    try openssl.write(DeviceFixtures.bytes("keys/skadnetwork-p256.public.pem"), "p256.public.pem")
    try await openssl.run("ec -pubin -in p256.public.pem -conv_form compressed -out compressed.pem")
    #expect(throws: KeyError.compressedPoint) { try PublicKey(file: openssl.read("compressed.pem")) }
    try await openssl.run("ec -pubin -in p256.public.pem -param_enc explicit -out explicit.pem")
    #expect(throws: KeyError.wrongCurve(objectIdentifier: nil)) { try PublicKey(file: openssl.read("explicit.pem")) }
    try openssl.write(DeviceFixtures.bytes("keys/skadnetwork-p192.private.pem"), "p192.pem")
    try await openssl.run("pkey -in p192.pem -aes128 -passout pass:secret -out encrypted.pem")
    #expect(throws: KeyError.wrongPEMLabel("ENCRYPTED PRIVATE KEY", expected: "PRIVATE KEY")) {
      try PrivateKey(pem: openssl.text("encrypted.pem"))
    }
  }
}
