import Foundation
import PCMCore
import PCMNetwork
import PCMURL
import Testing

@testable import PCMEndpoint

/// A small endpoint as people write it, with one fault or none, and the rules that fail for it. It shares no code with the
/// reference endpoint, and checks bodies with Foundation's parser.
struct ZooEndpoint: Sendable, CustomTestStringConvertible {
  typealias Answer = GoodEndpoint.Answer

  let name: String
  let failing: [String]
  var options: @Sendable (inout CheckOptions) throws -> Void = { _ in }
  /// Answers at the path for reports.
  var report: @Sendable (Visit) -> Answer = { $0.strictAnswer }
  /// Answers at the path for the key.
  var key: Answer = .notFound
  /// Answers at the pixel's path.
  var pixel: Answer = .notFound
  /// Changes the rest of an answer.
  var change: @Sendable (Visit, inout ProbeExchange) -> Void = { _, _ in }

  init(_ name: String, _ failing: String..., change: (inout ZooEndpoint) -> Void = { _ in }) {
    self.name = name
    self.failing = failing
    change(&self)
  }

  var testDescription: String { name }

  func check() async throws -> CheckReport {
    var options = CheckOptions(endpoint: try Checkup.parser.url("https://ads.example"))
    try self.options(&options)
    let server = Server(endpoint: self, certificate: try TestCertificate.pem())
    return try await EndpointChecker(options: options, parser: Checkup.parser, prober: server).run(at: TestCertificate.now)
  }

  /// One request with its predecessors.
  struct Visit: Sendable {
    let request: ProbeRequest
    /// The requests before it, connections left out.
    let earlier: [ProbeRequest]

    var size: Int { request.body?.count ?? 0 }
    var isGet: Bool { request.method == .get }
    var isRepeated: Bool { earlier.contains { $0.method == .post && $0.body == request.body } }
    var object: [String: Any]? { (try? JSONSerialization.jsonObject(with: Data(request.body ?? []))) as? [String: Any] }

    func number(_ name: String) -> Int? { object?[name] as? Int }
    func text(_ name: String) -> String? { object?[name] as? String }

    /// Whether the body is a report by Apple's description, tokens and unknown members aside.
    var isReport: Bool {
      guard text("source_engagement_type") == "click", text("source_site") != nil, text("attributed_on_site") != nil,
        let id = number("source_id"), let data = number("trigger_data"), let version = number("version")
      else { return false }
      return (0...255).contains(id) && (0...15).contains(data) && (1...3).contains(version)
    }

    /// The answer of an endpoint without faults.
    var strictAnswer: Answer {
      if isGet { return Answer(status: 405, body: "") }
      if size > 65_536 { return Answer(status: 413, body: "") }
      return isReport ? Answer(status: 200, body: "") : Answer(status: 400, body: #"{"error":"no report"}"#)
    }

    /// The answer of a strict endpoint that also refuses some reports.
    func refusing(_ status: Int, when isRefused: (Visit) -> Bool) -> Answer {
      isReport && isRefused(self) ? Answer(status: status, body: "") : strictAnswer
    }
  }

  private struct Server: Prober {
    let endpoint: ZooEndpoint
    let certificate: String
    private let log = RequestLog()

    init(endpoint: ZooEndpoint, certificate: String) {
      self.endpoint = endpoint
      self.certificate = certificate
    }

    func send(_ request: ProbeRequest, route: NetworkRoute) async -> ProbeExchange {
      var exchange = ProbeExchange(connected: request, certificate: certificate)
      guard !request.isHandshake else { return exchange }
      let visit = Visit(request: request, earlier: await log.note(request))
      exchange.take(request.isReport ? endpoint.report(visit) : request.isKey ? endpoint.key : endpoint.pixel)
      endpoint.change(visit, &exchange)
      return exchange
    }
  }
}

extension GoodEndpoint.Answer {
  static let notFound = Self(status: 404, body: "<h1>Not Found</h1>", type: "text/html")
  static let page = Self(status: 200, body: "<!doctype html><div id=app></div>", type: "text/html")

  static func status(_ status: Int) -> Self { Self(status: status, body: "") }

  static func redirect(_ status: Int, _ location: String) -> Self { Self(status: status, body: "", location: location) }
}
