import PCMCore
import PCMHTTP
import PCMPages
import PCMScenario

extension RunSummary {
  /// The results as a document in one file.
  var html: String { RunReportPage(files: files.map(\.view)).html(styleHash: PageHash.sha256) }
}

extension PlayedFile {
  fileprivate var view: RunReportPage.File {
    switch result {
    case .success(let result):
      RunReportPage.File(
        path: path, name: result.name, steps: result.steps.map { RunReportPage.Step(name: $0.name, passed: $0.passed) },
        outcome: result.failure.map { .failed(view($0)) } ?? .passed,
        command: passed ? "" : command(seed: result.seed), timeline: timeline)
    case .failure:
      RunReportPage.File(path: path, name: "", steps: [], outcome: .unreadable(details), command: "", timeline: nil)
    }
  }

  private func view(_ failure: ScenarioResult.Failure) -> RunReportPage.Failure {
    RunReportPage.Failure(
      step: failure.stepName,
      mismatches: failure.mismatches.map { mismatch in
        RunReportPage.Mismatch(
          place: "\(path):\(mismatch.place.line):\(mismatch.place.column)", detail: mismatch.detail,
          expected: mismatch.expected.text, actual: mismatch.actual.text)
      }, explanation: failure.explanation)
  }
}
