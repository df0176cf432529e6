import ArgumentParser
import Logging
import PCMHTTP

/// The format of the log on standard error.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
  /// Readable lines.
  case text
  /// One JSON object per line.
  case json

  func logger(level: Logger.Level) -> Logger {
    var logger = Logger(label: "pcm-browser") { label in
      switch self {
      case .text: StreamLogHandler.standardError(label: label)
      case .json: JSONLogHandler(label: label, wallClock: { SystemTime.now }, write: { StandardError.write($0) })
      }
    }
    logger.logLevel = level
    return logger
  }
}

/// The level of the log.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
  case trace, debug, info, notice, warning, error, critical

  var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .notice }
}
