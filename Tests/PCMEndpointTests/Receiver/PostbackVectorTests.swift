import Foundation
import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMVerify
import Testing

/// The published postbacks in `Fixtures/device/vectors`, as an endpoint receives them.
@Suite struct PostbackVectorTests {
  @Test(
    "A postback of another service is counted with its key, and only with it",
    arguments: ["2.1-no-source", "3.0-source-app-id-0", "4.0-no-source", "4.0-source-app-id-0"])
  func otherKey(_ name: String) async throws {
    let body = try PostbackFixture.text("vectors/postback-service-\(name).json")
    #expect(try await PostbackFixture.take(body, at: ReceiverFixture.endpoint()).outcome == .forged)
    let ads = try AppAds(otherKeys: [PostbackFixture.key("service-p192.txt"), PostbackFixture.key("service-p256.txt")])
    let verdict = try await PostbackFixture.take(body, at: ReceiverFixture.endpoint(appAds: ads))
    #expect(verdict.outcome == .accepted)
    #expect(verdict.postback?.postback.environment == .test)
    #expect(verdict.postback?.postback.signature.key?.name == "service-p256.txt")
  }

  @Test(
    "A postback that was changed on its way is refused with the cause",
    arguments: [("cases/u-snake.json", "with hyphens the signature verifies"), ("jws", "without them the signature verifies")])
  func changed(_ name: String, _ part: String) async throws {
    var body = try PostbackFixture.text(name == "jws" ? "vectors/aak-postback.json" : name)
    // A line break in the JSON Web Signature.
    if name == "jws" { body = body.replacing("eyJraWQi", with: "eyJr\\naWQi") }
    let endpoint = try ReceiverFixture.endpoint()
    let error = await #expect(throws: RequestError.self) { () async throws in
      _ = try await PostbackFixture.take(body, at: endpoint)
    }
    #expect(error?.code == .postbackInvalid)
    #expect(error?.detail.contains(part) == true, "\(error?.detail ?? "")")
    #expect(await endpoint.postbackCounts["forged"] == 0)
  }

  @Test("An impression and a signature alone are not postbacks", arguments: ["impression-4.0-web.json", "aak-postback.jws"])
  func otherItems(_ name: String) async throws {
    let body = try PostbackFixture.text("vectors/\(name)")
    let error = await #expect(throws: RequestError.self) { () async throws in
      _ = try await PostbackFixture.take(body, at: ReceiverFixture.endpoint())
    }
    #expect(error?.code == (name.hasSuffix(".jws") ? .notAnObject : .notPostback))
  }
}
