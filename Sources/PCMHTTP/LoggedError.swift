import Logging
import PCMCore

extension Logger.Metadata {
  /// The code of the problem, if the API has one for the error, and the detail of the error, for a line of the log.
  package init(error: any Error) {
    let problem = Problem(error)
    guard !problem.isUnexpected else {
      self = ["detail": "\(ErrorText.text(of: error))"]
      return
    }
    self = ["detail": "\(ErrorText.description(of: error) ?? problem.detail)", "code": "\(problem.code)"]
  }
}
