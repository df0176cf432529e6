extension RunReportPage.File {
  /// A failed or unreadable file with everything that explains it.
  var failure: Markup {
    """
    <article class="\(isUnreadable ? "doubtful" : "bad")">
    <h3><code>\(path)</code> <span class="badge">\(isUnreadable ? "Unreadable" : "Failed")</span></h3>
    \(name.isEmpty ? .none : "<p>\(name)</p>")
    \(details)
    \(stepList)
    \(drawing)
    \(command.isEmpty ? .none : "<p class=\"soft\">Reproduce</p><pre>\(command)</pre>")
    </article>
    """
  }

  /// A passed file, folded.
  var success: Markup {
    """
    <details class="passed">
    <summary><span class="badge good">Passed</span><code>\(path)</code> \(name)</summary>
    \(stepList)
    \(drawing)
    </details>
    """
  }

  private var isUnreadable: Bool { if case .unreadable = outcome { true } else { false } }

  private var details: Markup {
    switch outcome {
    case .passed: .none
    case .unreadable(let lines): "<pre>\(lines.joined(separator: "\n"))</pre>"
    case .failed(let failure): failure.markup
    }
  }

  private var stepList: Markup {
    guard !steps.isEmpty else { return .none }
    let items = steps.map { step -> Markup in
      step.passed ? "<li>\(step.name)</li>" : "<li>\(step.name) <span class=\"badge bad\">Failed</span></li>"
    }
    return """
      <details><summary>\(steps.count) step\(steps.count == 1 ? "" : "s") played</summary><ol class="steps">\(items)</ol></details>
      """
  }

  private var drawing: Markup { timeline?.still(title: path) ?? .none }
}

extension RunReportPage.Failure {
  fileprivate var markup: Markup {
    let why: Markup =
      explanation.isEmpty ? .none : "<p class=\"soft\">Explanation</p><pre>\(explanation.joined(separator: "\n"))</pre>"
    return "<p class=\"advice\">\(step)</p>\n\(mismatches.map(\.markup))\n\(why)"
  }
}

extension RunReportPage.Mismatch {
  fileprivate var markup: Markup {
    """
    <p>\(detail) <code>\(place)</code></p>
    <dl><dt>Expected</dt><dd><code>\(expected)</code></dd><dt>Actual</dt><dd><code>\(actual)</code></dd></dl>
    """
  }
}
