import PCMCore

/// Compares a step's expectations with the state of the browser and the network.
struct StepExpectation: Sendable {
  let step: Scenario.Step
  let outcome: StepOutcome
  let browser: PlayedBrowser
  let record: RecordingTransport

  /// Returns the mismatches in the order of the file. Only the required state is read.
  func mismatches() async throws -> [ScenarioResult.Mismatch] {
    guard case .object(let members)? = step.expectation?.value else { return [] }
    var comparison = ExpectationComparison()
    var found: [ScenarioResult.Mismatch] = []
    for member in members {
      if let mismatch = try await specificMismatches(member) {
        found += mismatch
        continue
      }
      let (actual, form) = try await actual(member)
      comparison = ExpectationComparison()
      comparison.compare(member.node, with: actual, as: form, at: path / member.name)
      found += comparison.mismatches
    }
    return found
  }

  private var path: ExpectationPath { ExpectationPath(step: step.number) }

  private var response: JSON { outcome.response?.json ?? .null }

  private func actual(_ member: SourceMember) async throws -> (JSON, ExpectationForm) {
    switch member.name {
    case "outcome": (response["outcome"] ?? .null, .named)
    case "reasons": (.array(reasons.map { $0["code"] ?? .null }), .named)
    case "status": (outcome.response.map { .number(Int64($0.status)) } ?? .null, .named)
    case "errors": (.array((response["errors"]?.items ?? []).map { $0["pointer"] ?? $0["parameter"] ?? .null }), .named)
    case "answer": (response, .named)
    case "events": (.array(outcome.events.filter(Self.isExpected)), .events)
    case "measurements": (try await browser.measurements(), .named)
    case "reports": (.array(try await browser.reports().map { $0.asExpected(since: browser.start) }), .reports)
    case "sent": (.array(await record.sent.map { $0.json(since: browser.start) }), .sent)
    case "postbacks":
      (.array(try await browser.postbacks().map { PostbackView.expected($0, since: browser.start) }), .postbacks)
    case "droppedPostbacks":
      (.array(try await browser.events(after: 0).compactMap(PostbackView.dropped)), .droppedPostbacks)
    case "impressions": (.array(try await browser.impressions()), .impressions)
    case "installs": (.array(try await browser.installs()), .installs)
    case "explanation": (try await explanation(member.node), .named)
    default: (.null, .named)
    }
  }

  private var reasons: [JSON] { response["reasons"]?.items ?? [] }

  /// Whether expectations include the event. Events that repeat the file's actions are excluded.
  private static func isExpected(_ event: JSON) -> Bool {
    event["kind"]?.string.flatMap(EventKind.init(rawValue:))?.isExpected ?? true
  }

  /// The rule and reason of the first failed rule. Null stands for no failed rule, as do null members.
  private func explanation(_ expected: SourceNode) async throws -> JSON {
    var failure = JSON.null
    if let subject = step.explainedDestination ?? outcome.subject {
      let response = try await browser.explanation(of: subject)
      guard response.isAccepted else { throw PlayedBrowser.CallError(response: response) }
      failure = response.json["firstFailure"] ?? .null
    }
    let shown: [JSON.Member] = [
      .init("rule", failure["rule"] ?? .null), .init("reason", (failure["reason"] ?? .null)["code"] ?? .null),
    ]
    guard case .object = expected.value else { return failure == .null ? .null : .object(shown) }
    return .object((expected["of"].map { [.init("of", $0.json)] } ?? []) + shown)
  }
}

extension StepExpectation {
  /// Returns the mismatches of members with a specific message; nil for other members.
  private func specificMismatches(_ member: SourceMember) async throws -> [ScenarioResult.Mismatch]? {
    switch member.name {
    case "outcome": outcomeMismatch(member.node)
    case "nothing": try await leftovers(member.node)
    case "report", "noReport": try await reportMismatch(member)
    default: nil
    }
  }

  private func outcomeMismatch(_ expected: SourceNode) -> [ScenarioResult.Mismatch]? {
    guard let found = response["outcome"]?.string, case .text(let wanted) = expected.value else { return nil }
    guard found != wanted else { return [] }
    let why = reasons.map { "\($0["code"]?.string ?? ""): \($0["detail"]?.string ?? "")" }.joined(separator: "; ")
    return [
      ScenarioResult.Mismatch(
        place: expected.place, pointer: (path / "outcome").pointer, expected: expected.json, actual: .string(found),
        replacement: .string(found),
        detail: "expected outcome \(wanted), but the outcome is \(found)" + (why.isEmpty ? "" : " (\(why))"))
    ]
  }

  /// Asks the service, so that tests and scenarios have the same matcher.
  private func reportMismatch(_ member: SourceMember) async throws -> [ScenarioResult.Mismatch] {
    let body: JSON = .object([.init(member.name, member.node.json)])
    let result = try await browser.require(
      ScenarioStage.Call("POST", "\(PlayedBrowser.path)/expectations", body: body.bytes)
    ).json
    guard result["met"] != .bool(true) else { return [] }
    let nearest = result["mismatches"]?.items.first
    let differences = (nearest?["differences"]?.items ?? []).compactMap { $0["text"]?.string }.joined(separator: ", ")
    let name = nearest?["reportId"]?.string ?? (result["report"] ?? .null)["id"]?.string
    let sentence = result["text"]?.string?.split(separator: "\n").first.map(String.init) ?? ""
    let detail = (sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence)
    return [
      ScenarioResult.Mismatch(
        place: member.node.place, pointer: (path / member.name).pointer, expected: member.node.json, actual: .string(name),
        detail: detail.prefix(1).lowercased() + detail.dropFirst()
          + (differences.isEmpty ? "" : "; the nearest is \(name ?? ""): \(differences)"))
    ]
  }

  private func leftovers(_ expected: SourceNode) async throws -> [ScenarioResult.Mismatch] {
    let measurements = try await browser.measurements()
    let waiting = try await browser.reports(in: ["scheduled", "sending"])
    let postbacks = try await browser.postbacks(in: ["scheduled", "sending"])
    let ephemeral: [JSON] = measurements["ephemeral"].map { $0 == .null ? [] : [$0] } ?? []
    let left = [
      ("stored click", measurements["unattributed"]?.items ?? []), ("ephemeral click", ephemeral),
      ("attribution", measurements["attributed"]?.items ?? []), ("pending report", waiting),
      ("pending postback", postbacks),
    ].filter { !$0.1.isEmpty }
    guard !left.isEmpty else { return [] }
    let words = left.map { "\($0.1.count) \($0.0)\($0.1.count == 1 ? "" : "s")" }.joined(separator: ", ")
    return [
      ScenarioResult.Mismatch(
        place: expected.place, pointer: (path / "nothing").pointer, expected: expected.json, actual: .string(words),
        detail: "expected no clicks, attributions, pending reports, or pending postbacks, found \(words)")
    ]
  }
}

extension JSON {
  /// Returns the report or the postback with the additional members of expectations.
  func asExpected(since start: Instant) -> JSON {
    let due = self["dueAt"]?.string.flatMap(Instant.init(text:)).map { ($0 - start).text }
    let error = (self["attempts"]?.items.last ?? .null)["error"] ?? .null
    return .object(
      members.map { $0.name == "body" ? .init("body", DrawnMembers.hidden($0.value)) : $0 } + [
        .init("due", .string(due)), .init("failure", error["code"] ?? .null),
      ])
  }
}
