import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

@Suite struct TestKeyTests {
  @Test("The pairs are the files of the fixtures, byte for byte", arguments: TestKeyPair.allCases)
  func files(_ pair: TestKeyPair) throws {
    let name = pair.rawValue.replacing("/", with: "-")
    #expect(pair.privateKeyPEM == (try DeviceFixtures.text("keys/\(name).private.pem")))
    #expect(pair.publicKeyPEM == (try DeviceFixtures.text("keys/\(name).public.pem")))
  }

  @Test("Every pair of the fixtures is published")
  func complete() throws {
    let files = try DeviceFixtures.names(in: "keys").filter { $0.hasSuffix(".pem") }
    #expect(files.count == 2 * TestKeyPair.allCases.count)
  }

  @Test("A pair's parts and curve match", arguments: TestKeyPair.allCases)
  func parts(_ pair: TestKeyPair) throws {
    let key = try pair.privateKey()
    #expect(key.curve == pair.curve)
    #expect(Base64.encode(key.publicKey.spki) == pair.publicKey)
  }

  @Test("Postbacks of each version are signed with the pair of its curve", arguments: SKAdNetworkVersion.allCases)
  func skadnetwork(_ version: SKAdNetworkVersion) throws {
    let body = try SKAdNetworkPostback.sample(version).body(signedBy: TestKeys().skadnetwork(version))
    #expect(try DeviceFixtures.verifier(version).verdict(on: body).outcome == .valid)
  }

  @Test("A signer uses the key of its identifier", arguments: TestKeyPair.adAttributionKit)
  func signers(_ identifier: TestKeyPair) throws {
    let signer = try TestKeys().signer(identifier)
    #expect(signer.keyIdentifier == identifier.rawValue)
    let jws = try CompactJWS(signer.sign([:]))
    let key = try DeviceFixtures.publicKey(identifier.rawValue.replacing("/", with: "-") + ".public.pem").key
    #expect(jws.isSigned(by: key))
  }

  @Test("The test ad network signs with its published pair")
  func adNetwork() throws {
    #expect(Base64.encode(try TestKeys().adNetwork.publicKey.spki) == TestKeyPair.adNetwork.publicKey)
  }

  @Test("A pair in the list of keys has its members", arguments: TestKeyPair.allCases)
  func list(_ pair: TestKeyPair) throws {
    let item = pair.json
    #expect(item.members.map(\.name) == ["id", "use", "curve", "publicKey", "publicKeyPEM", "privateKeyPEM"])
    #expect(item["id"]?.string == pair.rawValue)
    #expect(item["curve"]?.string == (pair == .skadnetworkP192 ? "P-192" : "P-256"))
    #expect(item["publicKeyPEM"]?.string == pair.publicKeyPEM)
    #expect(item["privateKeyPEM"]?.string == pair.privateKeyPEM)
    let key = try PublicKey(base64: item["publicKey"]?.string ?? "")
    #expect(key.spki == (try PublicKey(file: Array(pair.publicKeyPEM.utf8)).spki))
  }

  @Test("The test keys verify their signatures, and Apple's keys point to them", arguments: SKAdNetworkVersion.allCases)
  func verifying(_ version: SKAdNetworkVersion) throws {
    let body = try SKAdNetworkPostback.sample(version).body(signedBy: TestKeys().skadnetwork(version))
    #expect(try SignatureVerifier(.test).verdict(on: body).outcome == .valid)
    let verdict = try SignatureVerifier(.apple).verdict(on: body)
    #expect(verdict.outcome == .invalid)
    #expect(verdict.fix?.contains("--test-keys") == true, "\(verdict.fix ?? "no fix")")
  }

  @Test("A JSON Web Signature by a test key is valid with the test keys, and Apple's keys point to them")
  func verifyingJWS() throws {
    for identifier in TestKeyPair.adAttributionKit {
      let body = try AdAttributionKitTests.sample.body(signedBy: TestKeys().signer(identifier))
      #expect(try SignatureVerifier(.test).verdict(on: body).outcome == .valid)
      let apple = try SignatureVerifier(.apple).verdict(on: body)
      #expect(apple.outcome == .unverifiable && apple.fix?.contains("--test-keys") == true)
      let impersonated = try AdAttributionKitTests.sample.body(signedBy: TestKeys().impersonator(identifier))
      let fault = try SignatureVerifier(.apple).verdict(on: impersonated)
      #expect(fault.outcome == .invalid && fault.fix?.contains(identifier.rawValue) == true)
    }
    let other = try JWSSigner(.production, with: TestKeyPair.adNetwork.privateKey())
    let unknown = try SignatureVerifier(.test).verdict(on: AdAttributionKitTests.sample.body(signedBy: other))
    #expect(unknown.outcome == .invalid)
    // An unknown kid has the key that signed in the fix, with and without the test keys.
    let renamed = try JWSSigner(adNetworkIdentifier: "other/0", with: TestKeyPair.production.privateKey())
    let body = try AdAttributionKitTests.sample.body(signedBy: renamed)
    for keys in [VerificationKeys.apple, .test] {
      let fix = try SignatureVerifier(keys).verdict(on: body).fix ?? ""
      #expect(fix.contains("The signature verifies with the key test-cas-identifier/0"), "\(fix)")
    }
  }
}
