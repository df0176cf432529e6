/// The results of scenarios as a document in one file: failures first, each scenario with its timeline.
package struct RunReportPage: Hashable, Sendable {
  /// A scenario file.
  package struct File: Hashable, Sendable {
    let path: String
    let name: String
    let steps: [Step]
    let outcome: Outcome
    let command: String
    let timeline: TimelineView?

    /// - Parameters:
    ///   - path: The path of the file.
    ///   - name: The name of the scenario; empty for a file that could not be read.
    ///   - command: The command that reproduces the result; empty for none.
    ///   - timeline: What the browser did; nil for nothing to draw.
    package init(
      path: String, name: String, steps: [Step], outcome: Outcome, command: String, timeline: TimelineView?
    ) {
      self.path = path
      self.name = name
      self.steps = steps
      self.outcome = outcome
      self.command = command
      self.timeline = timeline
    }
  }

  package struct Step: Hashable, Sendable {
    let name: String
    let passed: Bool

    package init(name: String, passed: Bool) {
      self.name = name
      self.passed = passed
    }
  }

  package enum Outcome: Hashable, Sendable {
    case passed
    case failed(Failure)
    /// The lines say what is wrong with the file.
    case unreadable([String])
  }

  /// The first failed step.
  package struct Failure: Hashable, Sendable {
    let step: String
    let mismatches: [Mismatch]
    let explanation: [String]

    /// - Parameter explanation: The browser's decisions, as lines; empty when there is nothing to explain.
    package init(step: String, mismatches: [Mismatch], explanation: [String]) {
      self.step = step
      self.mismatches = mismatches
      self.explanation = explanation
    }
  }

  package struct Mismatch: Hashable, Sendable {
    let place: String
    let detail: String
    let expected: String
    let actual: String

    /// - Parameter place: Like `checkout.yaml:12:3`.
    package init(place: String, detail: String, expected: String, actual: String) {
      self.place = place
      self.detail = detail
      self.expected = expected
      self.actual = actual
    }
  }

  let files: [File]

  package init(files: [File]) {
    self.files = files
  }

  private var failed: [File] { files.filter { if case .failed = $0.outcome { true } else { false } } }
  private var unreadable: [File] { files.filter { if case .unreadable = $0.outcome { true } else { false } } }
  private var passed: [File] { files.filter { $0.outcome == .passed } }

  /// - Parameter styleHash: Returns the SHA-256 of a text in base64.
  package func html(styleHash: (String) -> String) -> String {
    ReportFrame(title: "\(verdict): \(title)", content: content).html(styleHash: styleHash)
  }

  private var title: String { "\(files.count) scenario\(files.count == 1 ? "" : "s")" }
  private var verdict: String { !unreadable.isEmpty ? "Unreadable" : failed.isEmpty ? "Passed" : "Failed" }

  /// The content of the document's `main` element.
  package var content: Markup {
    let bad = failed + unreadable
    return """
      <header>
      <p class="kind">Scenarios</p>
      <h1>\(title) <span class="badge \(bad.isEmpty ? "good" : "bad")">\(verdict)</span></h1>
      \(bar)
      <ul class="counts">\(counts)</ul>
      </header>
      \(bad.isEmpty ? .none : section("Failures", bad.map(\.failure)))
      \(passed.isEmpty ? .none : section("Passed", passed.map(\.success)))
      \(legend)
      <footer>Created by pcm-browser run. Times are those of each scenario's clock, in UTC.</footer>
      """
  }

  private var legend: Markup {
    let timelines = files.compactMap(\.timeline)
    return timelines.isEmpty
      ? .none
      : section(
        "Legend", ["<div class=\"timeline\">\(TimelineView.legend(hasDevice: timelines.contains(where: \.hasDevice)))</div>"])
  }

  private var parts: [(count: Int, title: String, tone: String)] {
    [
      (failed.count, "failed", "bad"), (unreadable.count, "could not be read", "doubtful"), (passed.count, "passed", "good"),
    ].filter { $0.0 > 0 }
  }

  private var bar: Markup { ReportBar.markup(parts.map { ($0.count, $0.tone) }) }

  private var counts: [Markup] {
    parts.map { "<li class=\"\($0.tone)\"><b>\($0.count)</b> \($0.title)</li>" }
  }

  private func section(_ title: String, _ content: [Markup]) -> Markup {
    """
    <section>
    <h2>\(title)</h2>
    \(content)
    </section>
    """
  }
}
