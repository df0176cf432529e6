import ArgumentParser
import Logging
import PCMTelemetry

/// How the log on standard error is written.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
  /// Lines for people.
  case text
  /// One JSON object a line.
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

/// How much the log tells.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
  case trace, debug, info, notice, warning, error, critical

  var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .notice }
}
