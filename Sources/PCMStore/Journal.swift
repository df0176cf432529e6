/// A call in the journal of a browser. The journal contains the calls that changed the browser, in the order in which they took
/// effect, for a replay.
package struct JournalEntry: Hashable, Sendable {
  /// The number in the journal. The first is 1.
  package let number: Int64
  package let text: String

  package init(number: Int64, text: String) {
    self.number = number
    self.text = text
  }
}

/// Why a journal ended. An ended journal is empty and accepts no entries.
package enum JournalEnding: String, Hashable, Sendable, CaseIterable {
  /// An entry exceeded a limit.
  case full
  /// The process stopped, or the store failed, while a call took effect.
  case interrupted
}

/// The limits of a journal.
package struct JournalLimits: Hashable, Sendable {
  package let maximumCount: Int
  /// The maximum number of bytes of all texts.
  package let maximumBytes: Int

  package init(maximumCount: Int, maximumBytes: Int) {
    self.maximumCount = maximumCount
    self.maximumBytes = maximumBytes
  }

  package func areExceeded(count: Int, byteCount: Int) -> Bool { count > maximumCount || byteCount > maximumBytes }
}

/// The journal of a browser in memory.
struct JournalRows {
  private(set) var ending: JournalEnding?
  private var texts: [String] = []
  private var byteCount = 0

  init(ending: JournalEnding? = nil) {
    self.ending = ending
  }

  var entries: [JournalEntry] {
    texts.enumerated().map { JournalEntry(number: Int64($0.offset) + 1, text: $0.element) }
  }

  /// A change of the rows, for its inverse.
  enum Change {
    case added
    case replaced(Int, String)
    case ended(JournalRows)
  }

  /// The number of the last entry.
  var lastNumber: Int64 { Int64(texts.count) }

  mutating func add(_ text: String, within limits: JournalLimits) -> Change? {
    guard ending == nil else { return nil }
    guard !limits.areExceeded(count: texts.count + 1, byteCount: byteCount + text.utf8.count) else { return end(.full) }
    texts.append(text)
    byteCount += text.utf8.count
    return .added
  }

  mutating func save(_ entry: JournalEntry, within limits: JournalLimits) -> Change? {
    let index = Int(entry.number) - 1
    guard ending == nil, texts.indices.contains(index) else { return nil }
    let old = texts[index]
    let size = byteCount - old.utf8.count + entry.text.utf8.count
    guard !limits.areExceeded(count: texts.count, byteCount: size) else { return end(.full) }
    (texts[index], byteCount) = (entry.text, size)
    return .replaced(index, old)
  }

  mutating func end(_ ending: JournalEnding) -> Change? {
    guard self.ending == nil else { return nil }
    defer { self = JournalRows(ending: ending) }
    return .ended(self)
  }

  mutating func undo(_ change: Change) {
    switch change {
    case .added: byteCount -= texts.removeLast().utf8.count
    case .replaced(let index, let old):
      byteCount += old.utf8.count - texts[index].utf8.count
      texts[index] = old
    case .ended(let rows): self = rows
    }
  }
}
