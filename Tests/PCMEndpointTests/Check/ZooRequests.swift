import Foundation
import PCMCore
import PCMNetwork
import PCMURL

@testable import PCMEndpoint

extension ZooEndpoint {
  /// Endpoints that look at irrelevant details.
  static let ofRequests: [ZooEndpoint] = [
    ZooEndpoint("a cookie is required", "report-status-is-2xx", "report-needs-no-cookie") {
      $0.report = { $0.refusing(401) { $0.request["Cookie"] == nil } }
    },
    ZooEndpoint("a referrer is required", "report-status-is-2xx", "report-needs-no-referrer") {
      $0.report = { $0.refusing(403) { $0.request["Referer"] == nil } }
    },
    ZooEndpoint("foreign origins are refused", "report-needs-no-referrer") {
      $0.report = { $0.refusing(403) { $0.request["Origin"] != nil } }
    },
    ZooEndpoint("an iPhone is required", "report-needs-no-user-agent") {
      $0.report = { $0.refusing(403) { $0.request["User-Agent"]?.contains("iPhone") != true } }
    },
  ]

  /// Endpoints that take too much, too little, or fall over.
  static let ofBodies: [ZooEndpoint] = [
    ZooEndpoint("any JSON object is accepted", "malformed-bodies-are-refused") {
      $0.report = { $0.size > 65_536 || $0.object == nil ? .status($0.isGet ? 405 : 400) : .status(200) }
    },
    ZooEndpoint("numbers of any size are accepted", "malformed-bodies-are-refused") {
      $0.report = { visit in
        guard visit.number("source_id") != nil, visit.number("trigger_data") != nil, visit.text("source_site") != nil,
          visit.text("attributed_on_site") != nil
        else { return .status(visit.isGet ? 405 : 400) }
        return .status(200)
      }
    },
    ZooEndpoint("500 for what is no JSON", "malformed-bodies-do-no-harm") {
      $0.report = { $0.isGet ? .status(405) : $0.object == nil ? .status(500) : $0.strictAnswer }
    },
    ZooEndpoint("500 for a missing member", "malformed-bodies-do-no-harm") {
      $0.report = {
        $0.object != nil && $0.object?["attributed_on_site"] == nil && $0.size < 9_999 ? .status(500) : $0.strictAnswer
      }
    },
    ZooEndpoint("limit of the body's size to 100 bytes", "report-status-is-2xx") {
      $0.report = { $0.size > 100 ? .status(413) : $0.strictAnswer }
    },
  ]

  /// Endpoints that limit how many requests they take.
  static let ofLimits: [ZooEndpoint] =
    [2, 10, 30, 60].map { most in
      ZooEndpoint("429 after \(most) requests from an address", "many-reports-at-once-are-accepted") {
        $0.change = { visit, exchange in if visit.earlier.count >= most { exchange.take(.status(429)) } }
      }
    }
    + [10, 30, 60].flatMap { most in
      [403, 503].map { status in
        ZooEndpoint("\(status) after \(most) requests from an address", "many-reports-at-once-are-accepted") {
          $0.change = { visit, exchange in if visit.earlier.count >= most { exchange.take(.status(status)) } }
        }
      }
    } + [
      ZooEndpoint("closed connections after 8 requests from an address", "many-reports-at-once-are-accepted") {
        $0.change = { visit, exchange in if visit.earlier.count >= 8 { exchange.fail(.connectionLost) } }
      },
      ZooEndpoint(
        "a worker for reports that an array kills", "malformed-bodies-do-no-harm", "many-reports-at-once-are-accepted"
      ) {
        $0.change = { visit, exchange in
          guard visit.request.isReport, !visit.isGet else { return }
          if (visit.earlier + [visit.request]).contains(where: { $0.text == "[]" }) { exchange.fail(.connectionLost) }
        }
      },
      ZooEndpoint("503 when many come at once", "many-reports-at-once-are-accepted") {
        $0.report = { $0.refusing(503) { $0.earlier.count > 60 } }
      },
    ]

  /// Endpoints whose server is older, newer, or slower than others.
  static let ofConnections: [ZooEndpoint] = [
    ZooEndpoint("HTTP/1.0 alone", "report-works-over-http-2") { $0.change = { $1.httpVersion = "1.0" } }
  ]
}

extension ZooEndpoint.Visit {
  /// The two numbers as they stand in the body, with the text between them and the name of the next member.
  var numbers: String {
    let text = request.text
    guard let start = text.range(of: #""source_id""#), let end = text.range(of: #","version""#) else { return "no numbers" }
    return String(text[start.lowerBound..<end.upperBound])
  }
}
