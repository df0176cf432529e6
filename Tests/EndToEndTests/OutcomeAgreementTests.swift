import Foundation
import PCMApp
import PCMCore
import PCMCurl
import PCMNetwork
import PCMURL
import TLSSupport
import Testing

@testable import PCMEndpoint

/// The table of `rules --outcomes` over TLS on loopback: each row, sent as a browser or a device sends it, and by a check.
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
  }.filter { !Behavior.all(of: $0.outcome.play).isEmpty }

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

    /// Returns the behaviors of a row; empty for a row that no server plays.
    static func all(of play: EndpointOutcome.Play) -> [Self] {
      switch play {
      case .answers(let answers): answers.map(Self.init)
      case .failure(.timedOut, _):
        [
          Self {
            ($0.reply, $0.timeout) = (Reply(.never), Interval(milliseconds: 300))
            ($0.patience.maximum, $0.patience.afterTimeout) = (.seconds(5), $0.timeout)
          }
        ]
      case .failure(.connectionLost, _): [Self { $0.reply = Reply(.reset) }]
      case .failure(.protocolError, _): [Self { ($0.reply, $0.version) = (.text("HTTP/1.1 banana\r\n\r\n"), .http1) }]
      case .failure(.connectionFailed, _): [Self { $0.isListening = false }]
      case .failure(.tlsFailed, _): [Self { $0.security = .before12 }]
      case .certificate(.unknownAuthority): [Self { $0.isTrusted = false }]
      case .certificate(.expired): [Self { $0.validity = now - .days(9)..<now - .days(1) }]
      case .certificate(.otherHost): [Self { $0.names = ["other.example"] }]
      case .failure, .scenarios: []
      }
    }

    private init(_ change: (inout Self) -> Void) { change(&self) }

    private init(_ answer: EndpointOutcome.Answer) {
      reply = Reply(answer.status, headers: answer.location.map { [.init("Location", $0)] } ?? [])
      if answer.httpVersion != nil { version = .http1 }
      if answer.httpVersion == "1.0" { reply = .text("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n") }
      if answer.isOverIPv6 { host = "::1" }
      // Every response takes longer.
      if answer.seconds > 2 { patience.good = Interval(milliseconds: -1) }
      if answer.seconds > 10 { patience.tolerable = Interval(milliseconds: -1) }
    }
  }

  private static var now: Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }

  @Test("A browser records what the table says, and the first rule of a check that fails is the table's", arguments: rows)
  func row(_ row: Row) async throws {
    for behavior in Behavior.all(of: row.outcome.play) { try await Self.play(behavior, row) }
  }

  private static func play(_ behavior: Behavior, _ row: Row) async throws {
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
    let report = try await check(row, over: transport, route, behavior.patience)
    await transport.close()
    await server.stop()
    let record = row.outcome.record.split(separator: ", ").map(String.init)
    let reason = if let framework = row.framework { exchange.undeliveredPostback(of: framework) } else { exchange.undelivered }
    #expect(reason?.code == record.dropFirst().first, "\(exchange)")
    #expect((reason == nil) == (record[0] == "delivered"), "\(exchange)")
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

extension Reply {
  /// A text in place of a response.
  fileprivate static func text(_ text: String) -> Reply { Reply(.raw(Array(text.utf8))) }
}
