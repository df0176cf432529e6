import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

/// The suggestions of a verdict about a failing signature.
@Suite struct PostbackFixTests {
  @Test("A source app 0 that a forwarder left out is found")
  func sourceAppZero() throws {
    let body = try DeviceFixtures.text("vectors/postback-service-4.0-source-app-id-0.json")
    let key = try DeviceFixtures.publicKey("service-p256.txt")
    let changed = body.replacing(#""source-app-id": 0, "#, with: "")
    #expect(changed != body)
    let verdict = try SignatureVerifier(.given([key])).verdict(on: Array(changed.utf8))
    #expect(verdict.fix?.contains("source-app-id 0, which was left out") == true)
  }

  @Test(
    "A forwarder's changes are found",
    arguments: [
      (.v4, "fidelity-type", 0, "fidelity-type 1"),
      (.v4, "transaction-id", "6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28", "transaction-id in lower case"),
      (.v4, "ad-network-id", "Example123.SKAdNetwork", "ad-network-id in lower case"),
      (.v21, "version", "2.0", "version 2.1"),
      (.v22, "version", "2.1", "version 2.2"),
    ] as [(SKAdNetworkVersion, String, JSON, String)])
  func changed(_ version: SKAdNetworkVersion, _ name: String, _ value: JSON, _ fix: String) throws {
    let members = try SKAdNetworkPostback.signedSample(version).setting(name, value)
    let keys = try ["skadnetwork-p192", "skadnetwork-p256"].map { try DeviceFixtures.publicKey("\($0).public.pem") }
    let verdict = try SignatureVerifier(.given(keys)).verdict(on: JSON.object(members).bytes)
    #expect(verdict.check == .fails)
    #expect(verdict.fix?.contains(fix) == true, "\(verdict.fix ?? "no fix")")
  }

  @Test("A source app that is not signed is found")
  func addedSource() throws {
    var postback = SKAdNetworkPostback.sample(.v4)
    postback.source = nil
    let body = try postback.body(signedBy: DeviceFixtures.skadnetworkKey(.v4))
    let members = try #require(JSON(parsing: body)).members.setting("source-app-id", 0)
    let verdict = try DeviceFixtures.verifier(.v4).verdict(on: JSON.object(members).bytes)
    #expect(verdict.fix?.contains("no source-app-id and no source-domain") == true)
  }

  @Test("A source app that was added to a web ad is found")
  func addedSourceApp() throws {
    var postback = SKAdNetworkPostback.sample(.v4)
    postback.source = .site("example.com")
    let body = try postback.body(signedBy: DeviceFixtures.skadnetworkKey(.v4))
    let members = try #require(JSON(parsing: body)).members.setting("source-app-id", 5)
    let verdict = try DeviceFixtures.verifier(.v4).verdict(on: JSON.object(members).bytes)
    #expect(
      verdict.fix == "The signature verifies with source-domain and without source-app-id. Remove source-app-id.")
  }

  @Test("Of several given keys, the signing key counts")
  func otherKey() throws {
    let key = try DeviceFixtures.privateKey("test-cas-identifier-0")
    let body = try SKAdNetworkPostback.sample(.v4).body(signedBy: key)
    let keys = try ["skadnetwork-p256", "test-cas-identifier-0"].map { try DeviceFixtures.publicKey("\($0).public.pem") }
    let verdict = try SignatureVerifier(.given(keys)).verdict(on: body)
    #expect(verdict.outcome == .valid)
    #expect(verdict.key?.name == "test-cas-identifier-0.public.pem")
  }

  @Test("A given key on the wrong curve is a fault")
  func wrongCurve() throws {
    let body = try SKAdNetworkPostback.sample(.v2).body(signedBy: DeviceFixtures.skadnetworkKey(.v2))
    let verdict = try DeviceFixtures.verifier(.v4).verdict(on: body)
    #expect(verdict.outcome == .invalid)
    #expect(verdict.check == .notChecked)
    #expect(verdict.fix == "Verify version 2.0 with a key on P-192.")
  }

  @Test("Both given keys are used, each for its versions", arguments: SKAdNetworkVersion.allCases)
  func twoKeys(_ version: SKAdNetworkVersion) throws {
    let body = try SKAdNetworkPostback.sample(version).body(signedBy: DeviceFixtures.skadnetworkKey(version))
    let keys = try ["skadnetwork-p256", "skadnetwork-p192"].map { try DeviceFixtures.publicKey("\($0).public.pem") }
    #expect(try SignatureVerifier(.given(keys)).verdict(on: body).outcome == .valid)
  }
}
