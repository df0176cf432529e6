import PCMCore
import PCMCrypto
import PCMVerify
import Testing

@testable import PCMEndpoint

/// The environments of postbacks that Apple signs. No such postback with a source app 0 is public.
@Suite struct PostbackEnvironmentTests {
  @Test(
    "A source app 0 makes a postback one for development",
    arguments: [
      (#"{"source-app-id":0}"#, PostbackEnvironment.development), (#"{"source-app-id":1234567891}"#, .production),
      (#"{"source-domain":"example.com"}"#, .production), (#"{"publisher-item-identifier":0}"#, .production),
      ("{}", .production),
    ])
  func sourceApp(_ members: String, _ environment: PostbackEnvironment) throws {
    let verdict = try SignatureVerifier(.apple).verdict(on: Array(PostbackFixture.text("vectors/postback-v3.0-a.json").utf8))
    #expect(verdict.key?.name == AppleKey.skadnetworkP256.rawValue && verdict.check == .verifies)
    let members = PostbackMembers(try #require(JSON(parsing: Array(members.utf8))))
    #expect(PostbackVerifier.environment(of: verdict, members) == environment)
  }

  @Test("In AdAttributionKit, the payload names the source app", arguments: [Int64?.none, 0, 5_838_492])
  func publisher(_ publisher: Int64?) throws {
    let body = Array(try PostbackFixture.adAttributionKit(publisher: publisher).utf8)
    #expect(PostbackMembers(try #require(JSON(parsing: body))).isOfDevelopmentApp == (publisher == 0))
  }
}
