import PCMCore
import PCMHTTP
import PCMPages
import PCMScenario

extension RunSummary {
  /// The results as a document in one file: failures first, each scenario with its timeline.
  var html: String { ReportFrame(title: "\(verdict): \(title)", content: content).html(styleHash: PageHash.sha256) }

  private var title: String { counted(files.count, "scenario") }
  private var verdict: String { unreadable > 0 ? "Unreadable" : failed > 0 ? "Failed" : "Passed" }

  /// The content of the document's `main` element.
  var content: Markup {
    let bad = files.filter { !$0.passed && !$0.isUnreadable } + files.filter(\.isUnreadable)
    let good = files.filter(\.passed)
    let parts = [
      (count: failed, title: "failed", tone: "bad"), (unreadable, "could not be read", "doubtful"), (passed, "passed", "good"),
    ].filter { $0.count > 0 }
    return """
      <header>
      <p class="kind">Scenarios</p>
      <h1>\(title) <span class="badge \(bad.isEmpty ? "good" : "bad")">\(verdict)</span></h1>
      \(ReportBar.markup(parts.map { ($0.count, $0.tone) }))
      <ul class="counts">\(parts.map { part -> Markup in "<li class=\"\(part.tone)\"><b>\(part.count)</b> \(part.title)</li>" })</ul>
      </header>
      \(bad.isEmpty ? .none : section("Failures", bad.map(\.failure)))
      \(good.isEmpty ? .none : section("Passed", good.map(\.success)))
      \(legend)
      <footer>Created by pcm-browser run. Times are in UTC, by each scenario's clock.</footer>
      """
  }

  private var legend: Markup {
    let timelines = files.compactMap(\.timeline)
    guard !timelines.isEmpty else { return .none }
    let legend = TimelineView.legend(hasDevice: timelines.contains(where: \.hasDevice))
    return section("Legend", ["<div class=\"timeline\">\(legend)</div>"])
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

extension PlayedFile {
  /// A failed or unreadable file with everything that explains it.
  fileprivate var failure: Markup {
    """
    <article class="\(isUnreadable ? "doubtful" : "bad")">
    <h3><code>\(path)</code> <span class="badge">\(isUnreadable ? "Unreadable" : "Failed")</span></h3>
    \(scenario.map { "<p>\($0.name)</p>" } ?? .none)
    \(scenario?.failure.map(explanation) ?? "<pre>\(details.joined(separator: "\n"))</pre>")
    \(stepList)
    \(drawing)
    \(scenario.map { "<p class=\"soft\">Reproduce</p><pre>\(command(seed: $0.seed))</pre>" } ?? .none)
    </article>
    """
  }

  /// A passed file, folded.
  fileprivate var success: Markup {
    """
    <details class="passed">
    <summary><span class="badge good">Passed</span><code>\(path)</code> \(scenario?.name ?? "")</summary>
    \(stepList)
    \(drawing)
    </details>
    """
  }

  private var scenario: ScenarioResult? { try? result.get() }

  private var stepList: Markup {
    guard let steps = scenario?.steps, !steps.isEmpty else { return .none }
    let items = steps.map { step -> Markup in
      step.passed ? "<li>\(step.name)</li>" : "<li>\(step.name) <span class=\"badge bad\">Failed</span></li>"
    }
    return "<details><summary>\(counted(steps.count, "step")) played</summary><ol class=\"steps\">\(items)</ol></details>"
  }

  private var drawing: Markup { timeline?.still(title: path) ?? .none }

  private func explanation(of failure: ScenarioResult.Failure) -> Markup {
    let mismatches = failure.mismatches.map { mismatch -> Markup in
      """
      <p>\(mismatch.detail) <code>\(path):\(mismatch.place.line):\(mismatch.place.column)</code></p>
      <dl><dt>Expected</dt><dd><code>\(mismatch.expected.text)</code></dd><dt>Actual</dt><dd><code>\(mismatch.actual.text)</code></dd></dl>
      """
    }
    let lines = failure.explanation.joined(separator: "\n")
    let why: Markup = lines.isEmpty ? .none : "<p class=\"soft\">Explanation</p><pre>\(lines)</pre>"
    return "<p class=\"advice\">\(failure.stepName)</p>\n\(mismatches)\n\(why)"
  }
}
