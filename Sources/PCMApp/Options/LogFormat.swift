import ArgumentParser
import Logging
import PCMHTTP

/// The format of the log on standard error.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
  /// Readable lines.
  case text
  /// One JSON object per line.
  case json

  /// - Parameter write: Writes lines of the log. It may be called from several threads concurrently.
  func logger(
    level: Logger.Level, write: @escaping @Sendable (String) -> Void = { StandardError.write($0) }
  ) -> Logger {
    var logger = Logger(label: "pcm-browser") { label in
      switch self {
      case .text: StreamLogHandler(label: label, stream: LogStream(write: write))
      case .json: JSONLogHandler(label: label, wallClock: { SystemTime.now }, write: write)
      }
    }
    logger.logLevel = level
    return logger
  }
}

private struct LogStream: TextOutputStream, Sendable {
  let write: @Sendable (String) -> Void

  mutating func write(_ text: String) { write(text) }
}

/// The level of the log.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
  case trace, debug, info, notice, warning, error, critical

  var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .notice }
}
