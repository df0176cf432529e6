import PCMCore
import PCMEndpoint
import Testing

/// The bounds of an endpoint's records of postbacks.
@Suite struct PostbackLedgerTests {
  @Test func theOldestFirstCopiesAreRemoved() async throws {
    let endpoint = try ReceiverFixture.endpoint()
    _ = try await PostbackFixture.take(PostbackFixture.skAdNetwork(), at: endpoint)
    let entry = try #require(await endpoint.entries(after: 0, kinds: [], limit: 1).first)
    let postback = try #require(entry.verdict.postback?.postback)
    var ledger = PostbackLedger(capacity: 20)
    func outcome(_ number: Int64) -> Verdict.Outcome {
      let request = ReceiverFixture.request(.postback, "", path: "/\(number)")
      return ledger.count(postback, in: request, number: number).outcome
    }
    #expect((0..<20).map(outcome) == Array(repeating: .accepted, count: 20))
    #expect(outcome(0) == .duplicate)
    #expect(outcome(20) == .accepted)
    // A tenth has gone: the first two.
    #expect(outcome(2) == .duplicate)
    #expect(outcome(1) == .accepted)
    #expect(outcome(20) == .duplicate)
    #expect(ledger.json["test"]?.text == #"{"counted":22,"duplicates":3}"#)
  }

  @Test func theListCountsTheBytesOfVerdicts() async throws {
    let endpoint = try ReceiverFixture.endpoint()
    // The verdict repeats the unsigned member.
    let postback = try PostbackFixture.text("vectors/postback-v4.0-a.json")
    let body = postback.replacing("{", with: #"{"a":"\#(String(repeating: "x", count: 60_000))","#)
    let total = ReportEndpoint.listedByteCount / 120_000 + 1
    for _ in 0..<total { _ = try await PostbackFixture.take(body, at: endpoint) }
    let count = await endpoint.entries(after: 0, kinds: [], limit: .max).count
    #expect((total * 8 / 10..<total).contains(count))
  }
}
