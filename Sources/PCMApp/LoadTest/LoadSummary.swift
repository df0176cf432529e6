import PCMCore
import PCMEndpoint
import PCMNetwork

/// The result of a load test, as text, JSON, or a page.
struct LoadSummary {
  let measurements: LoadMeasurements
  let tokens: LoadTokens.Result
  let route: NetworkRoute
  let results: [(expectation: LoadExpectation, holds: Bool, actual: String)]

  init(
    _ measurements: LoadMeasurements, tokens: LoadTokens.Result = ([], nil), route: NetworkRoute = NetworkRoute(),
    expectations: [LoadExpectation] = []
  ) {
    self.measurements = measurements
    self.tokens = tokens
    self.route = route
    results = expectations.map { expectation in
      let (holds, actual) = expectation.result(measurements)
      return (expectation, holds, actual)
    }
  }

  var options: LoadOptions { measurements.options }

  /// Whether all expectations hold.
  var holds: Bool { results.allSatisfy(\.holds) }

  /// The messages, and how they were sent.
  var facts: [String] {
    [
      options.kind.rawValue, "\(options.rate)/s for \(options.duration.words)", "seed \(options.seed)",
      route.freshConnections ? "a connection for each request" : "kept connections",
    ] + route.forwardTo.map { "\($0.subject) without TLS to \($0.target) (--forward-to)" }
      + (route.insecure ? ["certificates were not verified (--insecure)"] : [])
  }

  /// The causes for which the numbers do not describe the endpoint alone.
  var warnings: [String] {
    var warnings: [String] = []
    if measurements.isSenderLate {
      warnings.append(
        "This machine could not keep the rate: it sent \(LoadMeasurements.decimal(measurements.reachedRate, 1)) of "
          + "\(options.rate) a second, and 1% of the requests left \(text(measurements.lateness.percentile(99))) or more after their "
          + "planned instants. The latencies include this delay, so they do not measure the endpoint. Reduce --rate, or use "
          + "--connections kept.")
    }
    if measurements.unsent > 0 {
      warnings.append(
        "\(counted(measurements.unsent, "request")) could not be sent, because too many waited for responses. They count as errors."
      )
    }
    if measurements.unanswered > 0 {
      warnings.append("\(counted(measurements.unanswered, "request")) had no response when the test was ended.")
    }
    return warnings
  }

  /// The tokens, and the fate of forged and repeated messages.
  var notes: [String] {
    var notes: [String] = []
    if !tokens.tokens.isEmpty {
      notes.append(
        "the first \(counted(tokens.tokens.count, "report")) had tokens that the endpoint signed; later ones, if any, had none")
    }
    if let lack = tokens.lack { notes.append((tokens.tokens.isEmpty ? "no report had a token: " : "") + lack.asClause) }
    let duplicates = measurements.count(.duplicate)
    if duplicates > 0 {
      notes.append("\(counted(duplicates, "postback")) repeated an earlier one; count each of them once")
    }
    let forged = measurements.count(.forged)
    if forged > 0 {
      let accepted = measurements.count(.forged, isAccepted: true)
      notes.append(
        "the endpoint answered \(accepted) of \(counted(forged, "forged message")) as if it accepted them"
          + (accepted > 0 ? "; compare its own count, because a status does not show whether it counted them" : ""))
    }
    return notes
  }

  func text(_ microseconds: Int64) -> String { LoadMeasurements.text(microseconds: microseconds) }

  /// The percentiles, the mean, and the maximum.
  var latencies: [(name: String, microseconds: Int64)] {
    LoadMeasurements.percentiles.map { percent in
      ("p\(percent.rounded() == percent ? "\(Int(percent))" : "\(percent)")", measurements.latencies.percentile(percent))
    } + [("max", measurements.latencies.maximum), ("mean", measurements.latencies.mean)]
  }

  /// The statuses, or the codes of failures, the most frequent first.
  var statuses: [(name: String, count: Int)] {
    measurements.statuses.map { (name: $0.key, count: $0.value) }.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  /// The connections with the versions of HTTP.
  var connections: String {
    let versions = measurements.httpVersions.sorted { $0.key < $1.key }.map { "\($0.value) responses over HTTP/\($0.key)" }
    return ([counted(measurements.connections, "connection") + " opened"] + versions).joined(separator: ", ")
  }
}

extension LoadSummary {
  func text(isColored: Bool) -> String {
    let style = TerminalStyle(isColored: isColored)
    var lines = options.urls.map(style.bold) + [style.dim(facts.joined(separator: " · ")), ""]
    let sent = [
      counted(measurements.sent, "request"),
      "\(LoadMeasurements.decimal(measurements.reachedRate, 1)) of \(options.rate) a second",
    ]
    lines += [
      row("sent", sent.joined(separator: ", ")),
      row("latency", latencies.map { "\($0.name) \(text($0.microseconds))" }.joined(separator: "  ")),
      row("errors", "\(measurements.failed) (\(LoadMeasurements.percentage(measurements.errorShare * 100)))"),
      row("statuses", statuses.map { "\($0.name): \($0.count)" }.joined(separator: "  ")),
      row("network", connections),
    ]
    lines += notes.map { row("note", $0) }
    for warning in warnings { lines += [""] + TerminalText.lines(warning, indent: 0).map(style.yellow) }
    for failure in measurements.failures {
      lines += ["", style.red("\(failure.count) × \(failure.reason.detail.visible)") + style.dim(" (\(failure.reason.code))")]
      lines += TerminalText.lines(failure.exchangeText, indent: 2, limit: 40)
    }
    if !results.isEmpty { lines.append("") }
    for result in results {
      let mark = result.holds ? style.green("holds") : style.red("fails")
      lines.append("\(mark)  \(result.expectation.text): \(result.actual)\(doubt(result.expectation, result.holds))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func row(_ name: String, _ value: String) -> String { name.padding(to: 10) + value }

  /// A late sender increases latencies, so a condition that fails may hold for the endpoint.
  private func doubt(_ expectation: LoadExpectation, _ holds: Bool) -> String {
    !holds && expectation.isAboutLatency && measurements.isSenderLate ? ", which includes the delay of the sender" : ""
  }

  var json: JSON {
    let members: [JSON.Member] = [
      .init("urls", .array(options.urls.map { .string($0) })), .init("kind", .string(options.kind.rawValue)),
      .init("seed", .number(Int64(options.seed))), .init("plannedRate", .number(Int64(options.rate))),
      .init("durationSeconds", .number(options.duration.milliseconds / 1_000)),
      .init("freshConnections", .bool(route.freshConnections)), .init("insecure", .bool(route.insecure)),
      .init("planned", .number(Int64(options.count))), .init("sent", .number(Int64(measurements.sent))),
      .init("unsent", .number(Int64(measurements.unsent))), .init("unanswered", .number(Int64(measurements.unanswered))),
      .init("reachedRate", .verbatim(LoadMeasurements.decimal(measurements.reachedRate, 1))),
      .init("senderWasLate", .bool(measurements.isSenderLate)),
      .init("latencyMicroseconds", .object(latencies.map { .init($0.name, .number($0.microseconds)) })),
      .init("latenessMicroseconds", .object([.init("p99", .number(measurements.lateness.percentile(99)))])),
      .init("errors", .number(Int64(measurements.failed))),
      .init("errorShare", .verbatim(LoadMeasurements.decimal(measurements.errorShare, 6))),
      .init("statuses", .object(statuses.map { .init($0.name, .number(Int64($0.count))) })),
      .init("tokens", .number(Int64(tokens.tokens.count))), .init("tokenLack", tokens.lack.map { .string($0) } ?? .null),
      .init("connections", .number(Int64(measurements.connections))),
      .init(
        "httpVersions",
        .object(measurements.httpVersions.sorted { $0.key < $1.key }.map { .init($0.key, .number(Int64($0.value))) })),
      .init("duplicates", .number(Int64(measurements.count(.duplicate)))),
      .init("forged", .number(Int64(measurements.count(.forged)))),
      .init("forgedAccepted", .number(Int64(measurements.count(.forged, isAccepted: true)))),
      .init("failures", .array(measurements.failures.map(\.json))),
      .init(
        "expectations",
        .array(
          results.map { result in
            ["condition": .string(result.expectation.text), "holds": .bool(result.holds), "actual": .string(result.actual)]
          })),
      .init("warnings", .array(warnings.map { .string($0) })),
    ]
    return .object(members)
  }
}

extension LoadFailure {
  /// The first request of this cause, and its response.
  var exchangeText: String {
    let body = String(decoding: message.request.body ?? [], as: UTF8.self)
    let status = exchange.httpStatus.map { "\($0)" } ?? exchange.failure?.detail ?? ""
    let response = String(decoding: exchange.body.prefix(1_024), as: UTF8.self)
    return ["First: \(message.request.head)", "", body, "", "Response: \(status)", response].joined(separator: "\n")
  }

  fileprivate var json: JSON {
    [
      "code": .string(reason.code), "detail": .string(reason.detail), "count": .number(Int64(count)),
      "first": [
        "number": .number(Int64(message.number)), "request": .string(message.request.head),
        "body": .string(String(decoding: message.request.body ?? [], as: UTF8.self)),
        "status": exchange.httpStatus.map { .number(Int64($0)) } ?? .null,
        "response": .string(String(decoding: exchange.body.prefix(1_024), as: UTF8.self)),
      ],
    ]
  }
}
