import PCMCore
import PCMNetwork

@testable import PCMEndpoint

extension ZooEndpoint {
  /// Endpoints without tokens that are in order.
  static let withoutFault: [ZooEndpoint] = [
    ZooEndpoint("page at every path for GET but the report's") { $0.key = .page },
    ZooEndpoint("login redirect for every GET") {
      $0.key = .redirect(302, "/login")
      $0.report = { $0.isGet ? .redirect(302, "/login") : $0.strictAnswer }
    },
    ZooEndpoint("204 for reports") { $0.report = { $0.isReport ? .status(204) : $0.strictAnswer } },
    ZooEndpoint("202 for reports") { $0.report = { $0.isReport ? .status(202) : $0.strictAnswer } },
    ZooEndpoint("501 for GET, as a small server library has it") {
      $0.report = { $0.isGet ? .status(501) : $0.strictAnswer }
    },
    ZooEndpoint("422 for garbage") { $0.report = { $0.isGet || $0.isReport ? $0.strictAnswer : .status(422) } },
    ZooEndpoint("500 for arrays that are nested too deeply, as Flask has it") {
      $0.report = { $0.request.text.hasPrefix("[[[[") ? .status(500) : $0.strictAnswer }
    },
    ZooEndpoint("no limit of the body's size") {
      $0.report = { $0.isReport ? .status(200) : .status($0.isGet ? 405 : 400) }
    },
    ZooEndpoint("limit of the body's size to 1 KiB") {
      $0.report = { $0.size > 1_024 ? .status(413) : $0.strictAnswer }
    },
    ZooEndpoint("closed connection on a large body") {
      $0.change = { visit, exchange in if visit.size > 65_536 { exchange.fail(.connectionLost) } }
    },
  ]

  /// Mistakes and limits about the numbers and sites of a report.
  static let ofValues: [ZooEndpoint] = [
    ZooEndpoint("campaigns below 100", "largest-values-are-accepted") {
      $0.report = { $0.refusing(400) { ($0.number("source_id") ?? 0) >= 100 } }
    },
    ZooEndpoint("campaigns 1 to 99", "smallest-values-are-accepted", "largest-values-are-accepted") {
      $0.report = { $0.refusing(404) { !(1...99).contains($0.number("source_id") ?? 0) } }
    },
    ZooEndpoint("two campaigns, one of which comes first", "smallest-values-are-accepted", "largest-values-are-accepted") {
      $0.report = { $0.refusing(422) { ![7, 12].contains($0.number("source_id")) } }
    },
    ZooEndpoint("one campaign and one trigger data", "smallest-values-are-accepted", "largest-values-are-accepted") {
      $0.report = { $0.refusing(422) { $0.number("source_id") != 7 || $0.number("trigger_data") != 3 } }
    },
    ZooEndpoint("two other campaigns, not named", "report-status-is-2xx") {
      $0.report = { $0.refusing(422) { ![12, 40].contains($0.number("source_id")) } }
    },
    ZooEndpoint("two other campaigns, named") {
      $0.report = { $0.refusing(422) { ![12, 40].contains($0.number("source_id")) } }
      $0.options = { $0.subjects.sourceIDs = [12, 40] }
    },
    ZooEndpoint("two other campaigns, one named wrongly", "given-values-are-accepted") {
      $0.report = { $0.refusing(422) { ![12, 40].contains($0.number("source_id")) } }
      $0.options = { $0.subjects.sourceIDs = [12, 41] }
    },
    ZooEndpoint("one campaign and two trigger data, named") {
      $0.report = { $0.refusing(422) { $0.number("source_id") != 200 || ![0, 9].contains($0.number("trigger_data")) } }
      $0.options = { $0.subjects = ReportSubjects(sourceIDs: [200], triggerData: [9, 0]) }
    },
    ZooEndpoint("known shops, not named", "report-status-is-2xx") {
      $0.report = { $0.refusing(403) { $0.text("attributed_on_site") != "shop.example" } }
    },
    ZooEndpoint("known shops, named") {
      $0.report = { $0.refusing(403) { $0.text("attributed_on_site") != "shop.example" } }
      $0.options = { $0.subjects.otherSite = "shop.example" }
    },
    ZooEndpoint("known ad networks, named") {
      $0.report = { $0.refusing(403) { $0.text("source_site") != "news.example" } }
      $0.options = {
        $0.role = .destination
        $0.subjects.otherSite = "news.example"
      }
    },
    ZooEndpoint("only reports of its site") {
      $0.report = { $0.refusing(403) { $0.text("source_site") != "ads.example" } }
    },
    ZooEndpoint("source id 0 taken for a missing one", "smallest-values-are-accepted") {
      $0.report = { $0.refusing(400) { $0.number("source_id") == 0 } }
    },
    ZooEndpoint("trigger data of three bits", "largest-values-are-accepted") {
      $0.report = { $0.refusing(400) { ($0.number("trigger_data") ?? 0) > 7 } }
    },
    ZooEndpoint("numbers expected as strings", "report-status-is-2xx") {
      $0.report = { $0.refusing(400) { $0.text("source_id") == nil } }
    },
  ]

  /// Endpoints that remember earlier requests.
  static let ofRepetition: [ZooEndpoint] =
    [409, 400, 422, 500, 302].map { status in
      ZooEndpoint("\(status) for a body that was seen", "repetition-is-accepted") {
        $0.report = { $0.refusing(status) { $0.isRepeated } }
      }
    } + [
      ZooEndpoint("409 for values that were seen, whatever else differs", "repetition-is-accepted") {
        $0.report = { visit in
          visit.refusing(409) { visit in
            visit.earlier.contains { $0.text.contains(visit.numbers) }
          }
        }
      },
      ZooEndpoint(
        "409 for a body that was seen, and campaigns below 100", "largest-values-are-accepted", "repetition-is-accepted"
      ) {
        $0.report = { $0.refusing(409) { $0.isRepeated || ($0.number("source_id") ?? 0) >= 100 } }
      },
      ZooEndpoint("409 for a body that was seen, and one campaign, named", "repetition-is-accepted") {
        $0.report = { $0.refusing(409) { $0.isRepeated || $0.number("source_id") != 40 } }
        $0.options = { $0.subjects.sourceIDs = [40] }
      },
      ZooEndpoint("409 for a body that was seen, and a single report, named", "repetition-is-accepted") {
        $0.report = { $0.refusing(409) { $0.isRepeated || $0.number("source_id") != 40 } }
        $0.options = { $0.subjects = ReportSubjects(sourceIDs: [40], triggerData: [2]) }
      },
    ]

  static let ofPaths: [ZooEndpoint] =
    [301, 302, 307, 308].map { status in
      ZooEndpoint("\(status) to the path without its slash", "report-is-not-redirected") {
        $0.report = { _ in .redirect(status, "/.well-known/private-click-measurement/report-attribution") }
      }
    } + [
      ZooEndpoint("404 at the path with its slash", "report-path-is-served") { $0.report = { _ in .notFound } },
      ZooEndpoint("410 at the path", "report-path-is-served") { $0.report = { _ in .status(410) } },
      ZooEndpoint("no POST", "report-post-is-accepted") { $0.report = { _ in .status(405) } },
      ZooEndpoint("no POST, with 501", "report-post-is-accepted") { $0.report = { _ in .status(501) } },
      ZooEndpoint("a page at every path for GET", "get-is-refused") {
        $0.key = .page
        $0.report = { $0.isGet ? .page : $0.strictAnswer }
      },
      ZooEndpoint("JSON that states an error at every path", "report-is-received") {
        $0.answerAll(.init(body: #"{"statusCode":404,"error":"Not Found"}"#))
      },
      ZooEndpoint("a page that contains the path, at every path", "report-is-received") {
        $0.answerAll(.page)
        $0.change = { visit, exchange in
          if !visit.request.isHandshake { exchange.say("<!doctype html><title>Shop</title><p>\(visit.request.path)</p>") }
        }
      },
      ZooEndpoint(
        "a page at the path of reports only", "report-answer-is-no-page", "malformed-bodies-are-refused",
        "oversized-body-is-refused", "get-is-refused"
      ) { $0.report = { _ in .page } },
      ZooEndpoint("a form to log in at the path of reports", "report-is-received") {
        $0.report = { _ in .init(body: "<html><title>Sign in</title><input type=password>", type: "text/html") }
      },
      ZooEndpoint("a server that answers ok to all, as text", "report-is-received") {
        $0.answerAll(.init(body: "ok", type: "text/plain"))
      },
      ZooEndpoint("a server that answers ok to all, as JSON", "report-is-received") {
        $0.answerAll(.init(body: #"{"status":"ok"}"#))
      },
      ZooEndpoint("JSON with the path and the time at every path", "report-is-received") {
        $0.answerAll(.init(body: "{}"))
        $0.change = { visit, exchange in
          if !visit.request.isHandshake {
            exchange.say(#"{"api":"shop","path":"\#(visit.request.path)","id":"8f3a\#(1_000 + visit.earlier.count)"}"#)
          }
        }
      },
      ZooEndpoint("an image at every path", "report-is-received") {
        $0.answerAll(.init(body: "GIF89a-pixel", type: "image/gif"))
      },
      ZooEndpoint("a validating endpoint with one answer, whose server answers it at every path", "unrelated-paths-are-refused")
      {
        $0.answerAll(.init(body: #"{"ok":true}"#))
        $0.key = .notFound
        $0.report = { $0.strictAnswer.status == 200 ? .init(body: #"{"ok":true}"#) : $0.strictAnswer }
      },
      ZooEndpoint(
        "one answer for every body, and 404 at other paths", "malformed-bodies-are-refused", "oversized-body-is-refused"
      ) {
        $0.report = { $0.isGet ? .status(405) : .init(body: #"{"ok":true}"#) }
      },
      ZooEndpoint(
        "one answer for every body, with different results at other paths", "unrelated-paths-are-refused",
        "malformed-bodies-are-refused", "oversized-body-is-refused"
      ) {
        $0.pixel = .init(body: #"{"code":404}"#)
        $0.report = { $0.isGet ? .status(405) : .init(body: #"{"code":0}"#) }
      },
      ZooEndpoint(
        "a server that answers 200 to all, up to 1 MiB", "unrelated-paths-are-refused", "malformed-bodies-are-refused",
        "get-is-refused"
      ) {
        $0.answerAll(.status(200))
        $0.report = { .status($0.size > 1_048_576 ? 413 : 200) }
      },
      ZooEndpoint(
        "a server that answers 204 to all", "unrelated-paths-are-refused", "malformed-bodies-are-refused",
        "oversized-body-is-refused", "get-is-refused"
      ) { $0.answerAll(.status(204)) },
      ZooEndpoint("503 at the key path", "key-is-served") { $0.key = .status(503) },
      ZooEndpoint("no key where tokens are required", "key-is-served") { $0.options = { $0.tokens = .required } },
      ZooEndpoint("JSON without a key at the key path", "key-is-json") { $0.key = .init(body: #"{"key":"x"}"#) },
    ]
    + [401, 403, 406, 415, 422, 429, 500, 502, 503].map { status in
      ZooEndpoint("\(status) for everything", "report-status-is-2xx") { $0.answerAll(.status(status)) }
    }

  private mutating func answerAll(_ answer: Answer) {
    (key, pixel) = (answer, answer)
    report = { _ in answer }
  }
}
