package import Logging
import PCMCore

extension Logger.Metadata {
  /// The code of the problem, if the API has one for the error, and the detail of the error, for a line of the log.
  package init(error: any Error) {
    let problem = Problem(error)
    let isDescribed = problem.isUnexpected || error is any CustomStringConvertible
    self = ["detail": "\(isDescribed ? ErrorText.text(of: error) : problem.detail)"]
    if !problem.isUnexpected { self["code"] = "\(problem.code)" }
  }
}
