package import Logging
package import PCMCore

/// A log handler that writes one JSON object per line.
package struct JSONLogHandler: LogHandler {
  package var logLevel = Logger.Level.info
  package var metadata: Logger.Metadata = [:]
  package var metadataProvider: Logger.MetadataProvider?
  private let label: String
  private let wallClock: @Sendable () -> Instant
  private let write: @Sendable (String) -> Void

  /// - Parameter write: Writes a complete line with its line break. It may be called from several threads concurrently.
  package init(
    label: String, wallClock: @escaping @Sendable () -> Instant, write: @escaping @Sendable (String) -> Void
  ) {
    self.label = label
    self.wallClock = wallClock
    self.write = write
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: Logging.LogEvent) {
    var all = metadata
    if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
    if let own = event.metadata { all.merge(own) { $1 } }
    if let error = event.error { all["error"] = "\(ErrorText.text(of: error))" }
    let line: JSON = [
      "time": .string(wallClock().text), "level": .string(event.level.rawValue), "label": .string(label),
      "message": .string("\(event.message)"), "metadata": all.json, "source": .string(event.source),
    ]
    write(line.text + "\n")
  }
}

extension Logger.Metadata {
  /// The members ordered by name, so that equal entries are equal lines.
  fileprivate var json: JSON { .object(sorted { $0.key < $1.key }.map { JSON.Member($0.key, $0.value.json) }) }
}

extension Logger.MetadataValue {
  fileprivate var json: JSON {
    switch self {
    case .string(let text): .string(text)
    case .stringConvertible(let value): .string("\(value)")
    case .dictionary(let members): members.json
    case .array(let items): .array(items.map(\.json))
    }
  }
}
