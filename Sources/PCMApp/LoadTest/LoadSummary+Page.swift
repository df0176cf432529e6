import PCMCore
import PCMEndpoint
import PCMHTTP
import PCMPages

extension LoadSummary {
  /// The results as a page in one file.
  var html: String { ReportFrame(title: "\(verdict): load test", content: content).html(styleHash: PageHash.sha256) }

  private var isGood: Bool { holds && measurements.failed == 0 }

  private var verdict: String {
    results.isEmpty
      ? measurements.failed == 0 ? "No errors" : counted(measurements.failed, "error") : holds ? "Passed" : "Failed"
  }

  private var content: Markup {
    let rows: [(String, String)] =
      [
        ("Sent", "\(measurements.sent), \(LoadMeasurements.decimal(measurements.reachedRate, 1)) of \(options.rate) a second"),
        ("Errors", "\(measurements.failed) (\(LoadMeasurements.percentage(measurements.errorShare * 100)))"),
      ] + latencies.map { ("Latency \($0.name)", text($0.microseconds)) }
      + [("Statuses", statuses.map { "\($0.name): \($0.count)" }.joined(separator: ", ")), ("Network", connections)]
      + notes.map { ("Note", $0) }
    return """
      <header>
      <p class="kind">Load test</p>
      <h1>\(options.endpoint.host) <span class="badge \(isGood ? "good" : "bad")">\(verdict)</span></h1>
      \(options.urls.map { url -> Markup in "<p><code>\(url)</code></p>" })
      <p class="soft">\(facts.joined(separator: " · "))</p>
      \(warnings.map { warning -> Markup in "<p class=\"soft\">Note: \(warning)</p>" })
      </header>
      \(expectations)
      <section>
      <h2>Result</h2>
      <table><tbody>\(rows.map { row -> Markup in "<tr><th scope=\"row\">\(row.0)</th><td>\(row.1)</td></tr>" })</tbody></table>
      </section>
      <section>
      <h2>Over time</h2>
      \(charts.markup)
      </section>
      \(failures)
      <footer>Created by pcm-browser load-test. Latencies count from the planned instants of the requests.</footer>
      """
  }

  private var expectations: Markup {
    guard !results.isEmpty else { return .none }
    let rows = results.map { result -> Markup in
      """
      <tr><td><span class="badge \(result.holds ? "good" : "bad")">\(result.holds ? "holds" : "fails")</span></td>\
      <td><code>\(result.expectation.text)</code></td><td>\(result.actual)</td></tr>
      """
    }
    return "<section>\n<h2>Expectations</h2>\n<table><tbody>\(rows)</tbody></table>\n</section>"
  }

  private var failures: Markup {
    guard !measurements.failures.isEmpty else { return .none }
    let articles = measurements.failures.map { failure -> Markup in
      """
      <article class="bad">
      <h3>\(failure.count) × <code>\(failure.reason.code)</code></h3>
      <p>\(failure.reason.detail.visible)</p>
      <pre>\(failure.exchangeText.visible)</pre>
      </article>
      """
    }
    return "<section>\n<h2>Causes of errors</h2>\n\(articles)\n</section>"
  }

  private var charts: LoadCharts {
    let parts = measurements.intervals.map { interval in
      LoadCharts.Part(
        start: "\(interval.start / 1_000_000) s", median: interval.latencies.percentile(50),
        slow: interval.latencies.percentile(99), accepted: Int64(interval.latencies.count - interval.failed),
        failed: Int64(interval.failed))
    }
    return LoadCharts(parts: parts, distribution: distribution)
  }

  /// The numbers of messages by ranges of latencies: steps of 1, 2, and 5 in each power of ten.
  private var distribution: [(name: String, count: Int64)] {
    let ends = (2...7).flatMap { power in [1, 2, 5].map { $0 * (0..<power).reduce(Int64(1)) { scale, _ in scale * 10 } } }
    var ranges: [(name: String, count: Int64)] = []
    var start: Int64 = 0
    for end in ends + [3_600_000_000] {
      ranges.append((text(end), Int64(measurements.latencies.count(in: start...end))))
      start = end + 1
    }
    let isEmpty: ((name: String, count: Int64)) -> Bool = { $0.count == 0 }
    return Array(ranges.drop(while: isEmpty).reversed().drop(while: isEmpty).reversed())
  }
}
