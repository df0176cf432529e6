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
    ZooEndpoint("a cookie without a token against forgery is refused", "report-needs-no-cookie") {
      $0.report = { $0.refusing(403) { $0.request["Cookie"] != nil } }
    },
    ZooEndpoint("a referrer is required", "report-status-is-2xx", "report-needs-no-referrer") {
      $0.report = { $0.refusing(403) { $0.request["Referer"] == nil } }
    },
    ZooEndpoint("foreign origins are refused", "report-needs-no-referrer") {
      $0.report = { $0.refusing(403) { $0.request["Origin"] != nil } }
    },
    ZooEndpoint("a user agent is required", "report-needs-no-user-agent") {
      $0.report = { $0.refusing(403) { $0.request["User-Agent"] == nil } }
    },
    ZooEndpoint("an iPhone is required", "report-needs-no-user-agent") {
      $0.report = { $0.refusing(403) { $0.request["User-Agent"]?.contains("iPhone") != true } }
    },
    ZooEndpoint("cookies are set", "report-answer-sets-no-cookie") {
      $0.change = { visit, exchange in exchange.setsCookies = visit.request.isReport }
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
    ZooEndpoint("closed connection on an array", "malformed-bodies-do-no-harm") {
      $0.change = { visit, exchange in if visit.request.text == "[]" { exchange.fail(.connectionLost) } }
    },
    ZooEndpoint("500 for a large body", "oversized-body-does-no-harm") {
      $0.report = { $0.size > 65_536 ? .status(500) : $0.strictAnswer }
    },
    ZooEndpoint("200 for a large body", "oversized-body-is-refused") {
      $0.report = { $0.size > 65_536 ? .status(200) : $0.strictAnswer }
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
    ZooEndpoint("HTTP/1.1 alone", "report-works-over-http-2") { $0.change = { $1.httpVersion = "1.1" } },
    ZooEndpoint("HTTP/1.0 alone", "report-works-over-http-2") { $0.change = { $1.httpVersion = "1.0" } },
    ZooEndpoint("HTTP/2 alone", "report-works-over-http-1-1") {
      $0.change = { visit, exchange in
        if !visit.request.terms.offersHTTP2 { exchange.fail(.protocolError) }
      }
    },
    ZooEndpoint("three seconds for an answer", "report-is-answered-within-2-seconds") {
      $0.change = { visit, exchange in if visit.request.isReport { exchange.take(seconds: 3) } }
    },
    ZooEndpoint("twelve seconds for an answer", "report-is-answered-within-10-seconds") {
      $0.change = { visit, exchange in if visit.request.isReport { exchange.take(seconds: 12) } }
    },
    ZooEndpoint("temporary redirect of the pixel") { $0.servePixel(302) },
    ZooEndpoint("permanent redirect of the pixel", "pixel-redirect-is-temporary") { $0.servePixel(301) },
    ZooEndpoint("permanent redirect of the pixel with its method", "pixel-redirect-is-temporary") { $0.servePixel(308) },
  ]

  private mutating func servePixel(_ status: Int) {
    pixel = .redirect(status, "/.well-known/private-click-measurement/trigger-attribution/12/03")
    options = { $0.pixel = try Checkup.parser.url("https://ads.example/pixel") }
  }
}

extension ZooEndpoint.Visit {
  /// The two numbers as they stand in the body, with the text between them and the name of the next member.
  var numbers: String {
    let text = request.text
    guard let start = text.range(of: #""source_id""#), let end = text.range(of: #","version""#) else { return "no numbers" }
    return String(text[start.lowerBound..<end.upperBound])
  }
}
