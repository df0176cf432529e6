import PCMCore
import PCMDelivery
import Testing

@Suite struct DeliveryRuleTests {
  private static let now = Instant(milliseconds: 1_800_000_000_000)

  private func decide(_ exchange: Exchange, _ policy: DeliveryPolicy, attempt: Int = 1, jitter: Double = 0)
    -> DeliveryRule.Outcome
  {
    var trace = RuleTrace()
    return DeliveryRule.decide(exchange, policy: policy, attempt: attempt, at: Self.now, jitter: jitter, trace: &trace)
  }

  @Test(arguments: [200, 201, 202, 204, 299])
  func anAnswerOfTheSecondClassDelivers(_ status: Int) {
    for policy in DeliveryPolicy.allCases { #expect(decide(Exchange(httpStatus: status), policy) == .delivered) }
  }

  @Test(arguments: [100, 199, 300, 302, 400, 404, 500, 503])
  func everyOtherAnswerDoesNot(_ status: Int) {
    guard case .failed(let reason) = decide(Exchange(httpStatus: status), .webkit) else {
      Issue.record("not failed")
      return
    }
    #expect(reason.code == "http-status")
    #expect(reason.detail.contains(String(status)))
  }

  @Test func aChangedTokenKeyNeverComesBack() {
    let exchange = Exchange(failure: TransportFailure(.tokenKeyChanged, "why"))
    for policy in [DeliveryPolicy.webkit, .reliable] {
      #expect(decide(exchange, policy) == .failed(Reason("token-key-changed", "why")))
    }
  }

  @Test(arguments: TransportFailure.Code.allCases.filter { $0 != .tokenKeyChanged })
  func aTransportFailureIsLostOrRetried(_ code: TransportFailure.Code) {
    let exchange = Exchange(httpStatus: 200, failure: TransportFailure(code, "why"))
    let reason = Reason(code.rawValue, "why")
    #expect(decide(exchange, .webkit) == .failed(reason))
    #expect(decide(exchange, .reliable) == .retry(at: Self.now + .minutes(1), reason))
  }

  @Test(arguments: [(1, 1), (2, 2), (3, 4), (9, 256), (10, 360), (1_000_000, 360)] as [(Int, Int64)])
  func retriesComeLaterAndLaterUpToSixHours(_ attempt: Int, _ minutes: Int64) {
    #expect(DeliveryRule.backoff(attempt: attempt, jitter: 0) == .minutes(minutes))
    #expect(DeliveryRule.backoff(attempt: attempt, jitter: 0.5) == Interval(milliseconds: minutes * 63_000))
  }

  @Test func anAttemptShowsWhatWasSeen() {
    let exchange = Exchange(
      httpStatus: 200, httpVersion: "2", remoteAddress: "192.0.2.1",
      timings: .init(dns: 0, connect: 1_500, tls: 9_000, firstByte: 12_000_001, total: 60_000_000), contentType: "text/plain",
      body: Array("ok\n".utf8), insecure: true)
    #expect(
      Attempt(at: Self.now, wallAt: Self.now, exchange: exchange).json.text
        == #"{"at":"2027-01-15T08:00:00.000Z","wallAt":"2027-01-15T08:00:00.000Z","httpStatus":200,"error":null,"httpVersion":"2","remoteAddress":"192.0.2.1","timings":{"dns":"PT0.000000S","connect":"PT0.001500S","tls":"PT0.009000S","firstByte":"PT12.000001S","total":"PT60.000000S"},"response":{"contentType":"text/plain","body":"ok\n","truncated":false},"insecure":true}"#
    )
    #expect(
      Attempt(at: Self.now, wallAt: Self.now, exchange: DeliveryRule.interrupted).json.text.contains(
        #""httpStatus":null,"error":{"code":"interrupted","#))
  }
}
