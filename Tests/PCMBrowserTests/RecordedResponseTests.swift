import BrowserSupport
import PCMCore
import PCMCrypto
import PCMNetwork
import Testing

@testable import PCMBrowser

/// Responses to requests for tokens in a journal.
@Suite struct RecordedResponseTests {
  @Test(
    "A recorded response contains a key if the browser finds one",
    arguments: [
      (#"{"token_public_key":"KEY"}"#, true), (#"{"token_public_key":"KEY","ttl":1.5}"#, true),
      (#"{"token_public_key":7,"token_public_key":"KEY"}"#, true), (#"{"token_public_key":"KEY","token_public_key":7}"#, false),
      (#"{"token_public_key":"ABCD"}"#, false), (#"["KEY"]"#, false), ("", false),
    ])
  func bodies(_ text: String, _ isKey: Bool) throws {
    let body = text.replacing("KEY", with: try TokenSigner().key.publicKeyWire)
    try check(Exchange(httpStatus: 200, contentType: "application/json", body: Array(body.utf8)), isKey: isKey)
  }

  @Test("This applies to other media types, truncated bodies, and missing statuses, too")
  func otherResponses() throws {
    let body = JSON.object([.init("token_public_key", .string(try TokenSigner().key.publicKeyWire))]).bytes
    try check(Exchange(httpStatus: 200, contentType: "text/html", body: body), isKey: false)
    try check(Exchange(httpStatus: 200, body: body), isKey: true)
    let truncated = Exchange(httpStatus: 200, body: body, bodyTruncated: true)
    try check(truncated, isKey: false)
    #expect(RecordedExchange(BrowserRequest.tokenKey(at: site), truncated).response.body?.utf8.count == body.count + 1)
    try check(Exchange(body: body), isKey: false)
  }

  private let site = Site("news.example")

  private func check(_ exchange: Exchange, isKey: Bool) throws {
    let recorded = RecordedExchange(BrowserRequest.tokenKey(at: site), exchange)
    #expect((recorded.keyWire != nil) == isKey)
    #expect((recorded.response.body == nil) == isKey)
    #expect(((try? TokenAnswer.key(exchange, of: site)) != nil) == isKey)
  }
}
