import PCMCore

/// The failed members of a step's `expect`, in the order of the file.
struct StepComparison: Sendable {
  fileprivate(set) var mismatches: [ScenarioResult.Mismatch] = []
  /// The members with their actual values, each as a line of YAML.
  fileprivate(set) var actual: [String] = []

  /// Adds the line of a member, unless a scenario cannot contain its value.
  fileprivate mutating func add(_ name: String, _ value: JSON) {
    let line = "\(name): \(SourceWriting(isJSON: false).text(value))"
    guard let source = try? SourceText(Array(line.utf8)), let node = try? SourceNode.read(source),
      ShapeCheck.errors(of: node, as: ExpectationFormat.expectation).isEmpty
    else { return }
    actual.append(line)
  }
}

/// Compares a step's expectations with the state of the browser and the network.
struct StepExpectation: Sendable {
  let step: Scenario.Step
  let outcome: StepOutcome
  let browser: PlayedBrowser
  let record: RecordingTransport

  /// Only the required state is read.
  func comparison() async throws -> StepComparison {
    var result = StepComparison()
    for member in step.expectation?.members ?? [] {
      let specific = try await specificMismatch(member)
      let (mismatches, actual) = if let specific { specific } else { try await differences(in: member) }
      result.mismatches += mismatches
      if !mismatches.isEmpty, let actual { result.add(member.name, actual) }
    }
    return result
  }

  /// The mismatches of a member, and the value that would meet the expectation; nil without one.
  private typealias MemberComparison = (mismatches: [ScenarioResult.Mismatch], actual: JSON?)

  private func differences(in member: SourceMember) async throws -> MemberComparison {
    let (actual, form) = try await actual(member)
    var comparison = ExpectationComparison()
    comparison.compare(member.node, with: actual, as: form, at: path / member.name)
    return (comparison.mismatches, ExpectationShape.actual(actual, like: member.node, as: form))
  }

  private var path: ExpectationPath { ExpectationPath(step: step.number) }

  private var response: JSON { outcome.response?.json ?? .null }

  /// The response with an outcome and its reasons. A load has the outcome of its last triggering event.
  private var decision: JSON {
    guard response["outcome"] == nil, let triggers = response["triggeringEvents"]?.items else { return response }
    return triggers.last
      ?? ["outcome": "not-triggering", "reasons": .array([response["reason"] ?? .null].filter { $0 != .null })]
  }

  private func actual(_ member: SourceMember) async throws -> (JSON, ExpectationForm) {
    switch member.name {
    case "outcome": (decision["outcome"] ?? .null, .named)
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

  private var reasons: [JSON] { decision["reasons"]?.items ?? [] }

  /// Whether expectations include the event. Events that repeat the file's actions are excluded.
  private static func isExpected(_ event: JSON) -> Bool {
    event["kind"]?.string.map(EventKind.init(rawValue:))?.isExpected ?? true
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
  /// Returns the mismatch of a member with a specific message; nil for other members.
  private func specificMismatch(_ member: SourceMember) async throws -> MemberComparison? {
    switch member.name {
    case "outcome": outcomeMismatch(member.node)
    case "nothing": try await leftovers(member.node)
    case "report", "noReport": try await reportMismatch(member)
    default: nil
    }
  }

  private func outcomeMismatch(_ expected: SourceNode) -> MemberComparison? {
    guard let found = decision["outcome"]?.string, case .text(let wanted) = expected.value, found != wanted else { return nil }
    let why = reasons.map { "\($0["code"]?.string ?? ""): \($0["detail"]?.string ?? "")" }.joined(separator: "; ")
    let mismatch = ScenarioResult.Mismatch(
      place: expected.place, pointer: (path / "outcome").pointer, expected: expected.json, actual: .string(found),
      detail: "expected outcome \(wanted), but the outcome is \(found)" + (why.isEmpty ? "" : " (\(why))"))
    return ([mismatch], .string(found))
  }

  /// Asks the service, so that tests and scenarios have the same matcher.
  private func reportMismatch(_ member: SourceMember) async throws -> MemberComparison {
    let body: JSON = .object([.init(member.name, member.node.json)])
    let result = try await browser.require(
      ScenarioStage.Call("POST", "\(PlayedBrowser.path)/expectations", body: body.bytes)
    ).json
    guard result["met"] != .bool(true) else { return ([], nil) }
    let nearest = result["mismatches"]?.items.first
    let found = nearest?["differences"]?.items ?? []
    let differences = found.compactMap { $0["text"]?.string }.joined(separator: ", ")
    let name = nearest?["reportId"]?.string ?? (result["report"] ?? .null)["id"]?.string
    let sentence = result["text"]?.string?.split(separator: "\n").first.map(String.init) ?? ""
    let detail = (sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence)
    let mismatch = ScenarioResult.Mismatch(
      place: member.node.place, pointer: (path / member.name).pointer, expected: member.node.json, actual: .string(name),
      detail: detail.prefix(1).lowercased() + detail.dropFirst()
        + (differences.isEmpty ? "" : "; the nearest is \(name ?? ""): \(differences)"))
    return ([mismatch], found.isEmpty ? nil : member.node.json.replacing(found))
  }

  private func leftovers(_ expected: SourceNode) async throws -> MemberComparison {
    let measurements = try await browser.measurements()
    let waiting = try await browser.reports(in: ["scheduled", "sending"])
    let postbacks = try await browser.postbacks(in: ["scheduled", "sending"])
    let ephemeral: [JSON] = measurements["ephemeral"].map { $0 == .null ? [] : [$0] } ?? []
    let left = [
      ("stored click", measurements["unattributed"]?.items ?? []), ("ephemeral click", ephemeral),
      ("attribution", measurements["attributed"]?.items ?? []), ("pending report", waiting),
      ("pending postback", postbacks),
    ].filter { !$0.1.isEmpty }
    guard !left.isEmpty else { return ([], nil) }
    let words = left.map { "\($0.1.count) \($0.0)\($0.1.count == 1 ? "" : "s")" }.joined(separator: ", ")
    let mismatch = ScenarioResult.Mismatch(
      place: expected.place, pointer: (path / "nothing").pointer, expected: expected.json, actual: .string(words),
      detail: "expected no clicks, attributions, pending reports, or pending postbacks, found \(words)")
    return ([mismatch], nil)
  }
}

extension JSON {
  /// Returns the properties of an expected report with the actual values of a report.
  ///
  /// - Parameter differences: The differences between the two, as the API returns them.
  fileprivate func replacing(_ differences: [JSON]) -> JSON {
    let actual = differences.map { JSON.Member($0["member"]?.string ?? "", $0["actual"] ?? .null) }
    return .object(members.filter { member in !actual.contains { $0.name == member.name } } + actual)
  }

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
