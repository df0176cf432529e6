import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMVerify
import Testing

/// Reports and their copies in a log.
@Suite struct LoggedItemTests {
  private func item(_ report: String, keys: [TokenPublicKey] = [], host: String = "") throws -> LoggedItem {
    LoggedItem(report: try #require(JSON(parsing: Array(report.utf8))), host: host) { _ in keys }
  }

  @Test("A token needs the key of its site, and no token is a fault")
  func tokens() throws {
    let (key, other) = (try ReceiverFixture.key(bits: 2_048), try ReceiverFixture.key(bits: 3_072))
    let report = ReceiverFixture.report([(.source, try ReceiverFixture.signed(by: key))])
    #expect(try item(report, keys: [key.publicKey]).verdict.outcome == .valid)
    #expect(try item(report, keys: [other.publicKey, key.publicKey]).verdict.outcome == .valid)
    let without = try item(report).verdict
    #expect(without.outcome == .unverifiable && without.fix?.contains("--token-key news.example=FILE") == true)
    #expect(try item(ReceiverFixture.report(), keys: [key.publicKey]).verdict.outcome == .unverifiable)
    let wrong = try item(report, keys: [other.publicKey])
    #expect(wrong.verdict.outcome == .invalid && wrong.identities.isEmpty)
    #expect(try item(report.replacing("\"trigger_data\":12", with: "\"trigger_data\":16")).verdict.outcome == .invalid)
  }

  @Test("A copy of a report has its identity at the same host, and names the values that differ")
  func copies() throws {
    let report = ReceiverFixture.report([(.source, try ReceiverFixture.signed(by: ReceiverFixture.key(bits: 2_048)))])
    let first = try item(report)
    let other = try item(report.replacing("\"trigger_data\":12", with: "\"trigger_data\":3"))
    #expect(try item(report, host: "shop.example").identities != first.identities)
    var copies = FirstCopies<SIMD2<UInt64>>(capacity: 10)
    let identity = try #require(first.identities.first)
    #expect(copies.duplicate(of: identity, first.values, number: 7) == nil)
    let same = copies.duplicate(of: identity, first.values, number: 8)
    #expect(same?.number == 7 && same?.changed == [])
    #expect(copies.duplicate(of: identity, other.values, number: 9)?.changed == ["trigger_data"])
  }

  @Test("No two values of a conversion have the same hash")
  func hashes() throws {
    let values: [JSON] = [.null] + (0..<256).map { .number(Int64($0)) } + ["low", "medium", "high"]
    let unsigned = values.map { UnsignedValues(report: .object([.init("version", $0)])) }
    #expect(Set(unsigned + [UnsignedValues(report: [:])]).count == values.count + 1)
  }
}
