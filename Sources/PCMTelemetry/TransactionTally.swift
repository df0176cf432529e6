import PCMCore

/// What one transaction did that is counted. It is worth something only when the transaction was committed.
struct TransactionTally: Sendable {
  var events: [CountedEvent] = []
  var changes: [DueChange] = []
  /// Where the browser's clock was put; nil when it was not touched.
  var now: Instant?
  /// The log's next number behind the transaction; set when there are changes.
  var version: Int64 = 0
}

/// An event as far as it is counted.
struct CountedEvent: Hashable, Sendable {
  let kind: EventKind
  let codes: [String]

  init(_ event: BrowserEvent) {
    kind = event.kind
    codes = event.reasons.map(\.code)
  }
}
