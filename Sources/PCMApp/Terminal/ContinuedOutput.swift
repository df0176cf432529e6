import Logging
import NIOConcurrencyHelpers

/// An output without which a service continues. The log contains the first failed write.
final class ContinuedOutput: Sendable {
  private let logger: Logger
  private let hasFailed = NIOLockedValueBox(false)

  init(logger: Logger) {
    self.logger = logger
  }

  func perform(_ write: () throws -> Void) {
    do {
      try write()
    } catch {
      let isFirst = hasFailed.withLockedValue { hasFailed in
        defer { hasFailed = true }
        return !hasFailed
      }
      guard isFirst else { return }
      logger.error("output is lost, and later failures are not logged", metadata: ["detail": "\(StartError(error))"])
    }
  }
}
