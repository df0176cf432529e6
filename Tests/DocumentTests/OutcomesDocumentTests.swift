import Foundation
import HTTPSupport
import PCMCore
import PCMEndpoint
import Testing

/// `WhatSafariDoes.md`, which is recorded from the table of outcomes.
@Suite struct OutcomesDocumentTests {
  private static let file = API.fixtures.deletingLastPathComponent()
    .appendingPathComponent("Sources/PCMApp/Documentation.docc/WhatSafariDoes.md")

  @Test("The page about outcomes is recorded from the table")
  func page() throws {
    if ProcessInfo.processInfo.environment["PCM_RECORD"] == "1" { try Data(Self.text.utf8).write(to: Self.file) }
    let recorded = try String(contentsOf: Self.file, encoding: .utf8)
    #expect(
      recorded == Self.text,
      "if the change of the table is intended, run PCM_RECORD=1 swift test --filter OutcomesDocumentTests")
  }

  private static let introduction = """
    # What Safari does

    The behavior of Safari and iOS for each response of an endpoint, and the rule of `check` that finds the cause.

    This page is recorded from the table that `pcm-browser rules --outcomes` prints. A test plays each row: through the rules of delivery,
    through `check`, or as the named scenario. Another test plays an example of each row that a server on this machine can have over TLS,
    with shorter limits of time. The source says how certain a row is: Apple does not document all of it.

    [Differences from WebKit](Fidelity.md) covers the decisions before a report is sent.
    [How a message is sent](Sending.md) follows a message to its end.

    """

  private static let text =
    introduction
    + EndpointOutcomes.topics.map { topic in
      "\n## \(topic.title)\n\n| Situation | Safari or iOS | Recorded | `check` | Source |\n| --- | --- | --- | --- | --- |\n"
        + topic.outcomes.map { outcome in
          let cells = [
            outcome.situation, outcome.behavior, "`\(outcome.record)`", outcome.rule.map { "`\($0)`" } ?? "No finding",
            outcome.origin.text,
          ]
          return "| \(cells.joined(separator: " | ")) |\n"
        }.joined()
    }.joined()
}
