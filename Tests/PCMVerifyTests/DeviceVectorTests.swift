import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

/// Postbacks and impressions that others signed.
@Suite struct DeviceVectorTests {
  @Test("Each vector has the verdict, the key, the signed text, and the faults of its row", arguments: DeviceVector.all)
  func vector(_ vector: DeviceVector) throws {
    let verdict = try vector.verifier().verdict(on: DeviceFixtures.bytes(vector.file))
    #expect(verdict.outcome.rawValue == vector.verdict, "\(verdict.faults)")
    #expect(verdict.framework?.rawValue == vector.framework)
    #expect(verdict.subject?.rawValue == vector.subject)
    #expect(verdict.version == vector.version)
    #expect(verdict.key?.name == vector.key)
    #expect(verdict.faults.map(\.pointer) == vector.faults, "\(verdict.faults)")
    #expect((verdict.check == .verifies) == (vector.verdict == "valid"))
    if let signedText = vector.signedText { #expect(verdict.signedText?.visible == signedText) }
  }

  @Test func theVectorsCoverEachVersionAndEachFile() throws {
    let versions = Set(DeviceVector.all.filter { $0.verdict == "valid" }.compactMap(\.version))
    #expect(versions == Set(SKAdNetworkVersion.allCases.map(\.rawValue)))
    #expect(Set(DeviceVector.all.map(\.file)) == Set(try DeviceFixtures.names(in: "vectors").map { "vectors/\($0)" }))
    #expect(DeviceVector.all.allSatisfy { !$0.origin.isEmpty })
  }

  @Test("A changed signed value makes the signature fail, a changed conversion value does not")
  func changedValues() throws {
    let body = try DeviceFixtures.text("vectors/postback-v4.0-a.json")
    let verifier = try SignatureVerifier(.apple)
    let signed = verifier.verdict(on: Array(body.replacing("\"5239\"", with: "\"5238\"").utf8))
    #expect(signed.check == .fails)
    #expect(signed.faults.map(\.pointer) == ["/attribution-signature"])
    #expect(signed.fix == nil)
    let unsigned = verifier.verdict(on: Array(body.replacing(": 63", with: ": 1").utf8))
    #expect(unsigned.outcome == .valid)
    #expect(unsigned.unsigned == [JSON.Member("conversion-value", 1)])
  }

  @Test("A signature with escaped slashes verifies over the decoded text")
  func escapedSlashes() throws {
    let body = try DeviceFixtures.text("vectors/postback-v4.0-a.json")
    #expect(body.contains("/"))
    let verdict = try SignatureVerifier(.apple).verdict(on: Array(body.replacing("/", with: "\\/").utf8))
    #expect(verdict.outcome == .valid)
  }

  @Test("The unsigned members of 1.0 include version and redownload")
  func unsignedMembers() throws {
    let verdict = try SignatureVerifier(.apple).verdict(on: DeviceFixtures.bytes("vectors/postback-v1.0-a.json"))
    #expect(verdict.unsigned.map(\.name) == ["version", "redownload"])
  }
}
