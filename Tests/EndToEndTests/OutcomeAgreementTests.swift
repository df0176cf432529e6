import Foundation
import PCMApp
import PCMCore
import PCMCurl
import PCMNetwork
import PCMURL
import TLSSupport
import Testing

@testable import PCMEndpoint

/// The table of `rules --outcomes` over TLS on loopback: an example of each row, sent as a browser or a device sends it, and by a check.
/// Names that do not resolve need a name server, and scenarios are run elsewhere.
@Suite(.timeLimit(.minutes(10))) struct OutcomeAgreementTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let framework: AdFramework?
    let outcome: EndpointOutcome

    var testDescription: String { "\(framework?.rawValue ?? "report"), \(outcome.situation)" }
    var path: String { framework == nil ? "/.well-known/private-click-measurement/report-attribution/" : "/postbacks" }

    /// The message as the browser or the device sends it.
    var request: OutgoingRequest {
      let url = "https://ads.example\(path)"
      return framework == nil ? BrowserRequest.report(url: url, body: "{}") : DeviceRequest.postback(url: url, body: "{}")
    }
  }

  static let rows = EndpointOutcomes.topics.flatMap { topic in
    topic.outcomes.map { Row(framework: topic.framework, outcome: $0) }
  }.filter { Behavior($0.outcome.play) != nil }

  /// A server with the behavior of a row, and limits that it exceeds.
  private struct Behavior {
    var reply = Reply()
    var version = RecordingServer.Version.http2
    var security = RecordingServer.Security.from12
    var host = "127.0.0.1"
    var names = ["ads.example"]
    var validity: Range<Instant>?
    var isTrusted = true
    var isListening = true
    var patience = CheckOptions.Patience.endless
    var timeout = Interval.minutes(5)

    /// Nil for a row that no server plays.
    init?(_ play: EndpointOutcome.Play) {
      switch play {
      case .answers(let answers):
        reply = Reply(answers[0].status, headers: answers[0].location.map { [.init("Location", $0)] } ?? [])
        if answers[0].httpVersion != nil { version = .http1 }
        if answers[0].isOverIPv6 { host = "::1" }
        // Every response takes longer.
        if answers[0].seconds > 2 { patience.good = Interval(milliseconds: -1) }
        if answers[0].seconds > 10 { patience.tolerable = Interval(milliseconds: -1) }
      case .failure(.timedOut, _):
        (reply, timeout) = (Reply(.never), Interval(milliseconds: 300))
        (patience.maximum, patience.afterTimeout) = (.seconds(5), timeout)
      case .failure(.connectionLost, _): reply = Reply(.reset)
      case .failure(.protocolError, _): (reply, version) = (Reply(.raw(Array("HTTP/1.1 banana\r\n\r\n".utf8))), .http1)
      case .failure(.connectionFailed, _): isListening = false
      case .failure(.tlsFailed, _): security = .before12
      case .certificate(.unknownAuthority): isTrusted = false
      case .certificate(.expired): validity = now - .days(9)..<now - .days(1)
      case .certificate(.otherHost): names = ["other.example"]
      case .failure, .scenarios: return nil
      }
    }
  }

  private static var now: Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }

  @Test("A browser records what the table says, and the first rule of a check that fails is the table's", arguments: rows)
  func row(_ row: Row) async throws {
    let behavior = try #require(Behavior(row.outcome.play))
    let (authority, stranger) = (try TestAuthority(), try TestAuthority(name: "Stranger"))
    let server = try await RecordingServer.start(
      try authority.issue(names: behavior.names, validity: behavior.validity), version: behavior.version,
      security: behavior.security, host: behavior.host,
      answer: { $0.method == "POST" && $0.target == row.path ? behavior.reply : Reply(404) })
    let closed = try #require(QuietPort(.refusing))
    let transport = try CurlTransport()
    let route = NetworkRoute(
      connectTo: [
        "::\(behavior.host == "::1" ? "[::1]" : behavior.host):\(behavior.isListening ? server.port : closed.number)"
      ],
      caFile: (behavior.isTrusted ? authority : stranger).certificateFile, connectTimeout: .minutes(5),
      totalTimeout: behavior.timeout)
    let exchange = await transport.send(row.request, route: route)
    let report = try await Self.check(row, over: transport, route, behavior.patience)
    await transport.close()
    await server.stop()
    let record = row.outcome.record.split(separator: ", ").map(String.init)
    let reason = if let framework = row.framework { exchange.undeliveredPostback(of: framework) } else { exchange.undelivered }
    #expect(reason?.code == record.dropFirst().first, "\(exchange)")
    #expect((reason == nil) == (record[0] == "delivered"))
    #expect(report.failedRules.first == row.outcome.rule, "\(report.failures)")
  }

  private static func check(
    _ row: Row, over transport: CurlTransport, _ route: NetworkRoute, _ patience: CheckOptions.Patience
  ) async throws -> CheckReport {
    let parser = SiteParser(publicSuffixList: .builtIn())
    let endpoint = try parser.url(row.request.url)
    let message = row.framework == nil ? "report" : "postback"
    let options = CheckOptions(
      endpoint: endpoint, postbacks: try row.framework.map { try PostbackSubjects($0, endpoint: endpoint) }, route: route,
      rules: ["host-", "connections-", "tls-", "certificate-", "report-works-over-http-2"]
        + ["is-", "path-", "post-", "status-"].map { "\(message)-\($0)" },
      patience: patience)
    return try await EndpointChecker(options: options, parser: parser, prober: transport).run(at: now)
  }
}
