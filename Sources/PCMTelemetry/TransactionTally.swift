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

  init(kind: EventKind, detail: JSON) {
    self.kind = kind
    codes = detail.member("reasons").items.compactMap { $0.member("code").plainText }
  }
}

extension JSON {
  fileprivate func member(_ name: String) -> JSON {
    guard case .object(let members) = self else { return .null }
    return members.first { $0.name == name }?.value ?? .null
  }

  fileprivate var items: [JSON] {
    if case .array(let items) = self { items } else { [] }
  }

  fileprivate var plainText: String? {
    if case .string(let text) = self { text } else { nil }
  }
}
