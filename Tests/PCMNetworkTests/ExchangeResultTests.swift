import PCMCore
import PCMNetwork
import Testing

@Suite struct ExchangeResultTests {
  private static let now = Instant(milliseconds: 1_800_000_000_000)

  private func result(_ exchange: Exchange) -> AttemptResult {
    var evaluation = RuleEvaluation()
    let result = exchange.result(&evaluation)
    #expect(evaluation.failed?.reason == exchange.undelivered)
    return result
  }

  @Test(arguments: [200, 201, 202, 204, 299])
  func a2xxStatusDelivers(_ status: Int) {
    #expect(result(Exchange(httpStatus: status)) == .accepted)
  }

  @Test(arguments: [100, 199, 300, 302, 400, 404, 500, 503])
  func anyOtherStatusFails(_ status: Int) {
    guard case .failed(let reason) = result(Exchange(httpStatus: status)) else {
      Issue.record("not failed")
      return
    }
    #expect(reason.code == "http-status")
    #expect(reason.detail.contains(String(status)))
  }

  @Test(arguments: [0, 4_096, 4_097, 60_000])
  func anAttemptKeepsTheBeginningOfTheResponse(_ size: Int) throws {
    let exchange = Exchange(httpStatus: 500, body: [UInt8](repeating: UInt8(ascii: "x"), count: size))
    let response = try #require(Attempt(at: Self.now, wallAt: Self.now, exchange: exchange).json(undelivered: nil)["response"])
    #expect(response["body"] == .string(String(repeating: "x", count: min(size, 4_096))))
    #expect(response["truncated"] == .bool(size > 4_096))
  }

  @Test func aChangedTokenKeyFailsPermanently() {
    let exchange = Exchange(failure: TransportFailure(.tokenKeyChanged, "why"))
    #expect(result(exchange) == .failedPermanently(Reason("token-key-changed", "why")))
  }

  @Test(arguments: TransportFailure.Code.allCases.filter { $0 != .tokenKeyChanged })
  func anyOtherTransportFailureCanBeRetried(_ code: TransportFailure.Code) {
    let exchange = Exchange(httpStatus: 200, failure: TransportFailure(code, "why"))
    #expect(result(exchange) == .failed(Reason(code.rawValue, "why")))
  }

  @Test func anExchangeWithoutAResponseFails() {
    #expect(result(Exchange()) == .failed(Reason("connection-lost", "no answer arrived")))
  }

  @Test func anAttemptContainsTheExchange() {
    let exchange = Exchange(
      httpStatus: 200, httpVersion: "2", remoteAddress: "192.0.2.1",
      timings: .init(dns: 0, connect: 1_500, tls: 9_000, firstByte: 12_000_001, total: 60_000_000), contentType: "text/plain",
      body: Array("ok\n".utf8), insecure: true, forwardedTo: "127.0.0.1:8000")
    #expect(
      Attempt(at: Self.now, wallAt: Self.now, exchange: exchange).json(undelivered: nil).text
        == #"{"at":"2027-01-15T08:00:00.000Z","wallAt":"2027-01-15T08:00:00.000Z","httpStatus":200,"error":null,"httpVersion":"2","remoteAddress":"192.0.2.1","timings":{"dns":"PT0.000000S","connect":"PT0.001500S","tls":"PT0.009000S","firstByte":"PT12.000001S","total":"PT60.000000S"},"response":{"contentType":"text/plain","body":"ok\n","truncated":false},"insecure":true,"forwardedTo":"127.0.0.1:8000"}"#
    )
    let interrupted = Attempt(at: Self.now, wallAt: Self.now, exchange: .interrupted)
    #expect(
      interrupted.json(undelivered: Exchange.interrupted.undelivered).text.contains(
        #""httpStatus":null,"error":{"code":"interrupted","#))
  }
}
