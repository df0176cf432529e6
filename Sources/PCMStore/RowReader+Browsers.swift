package import PCMCore

/// Rows that every database has with the same columns, in this order.
extension RowReader {
  /// The number, name, seed, kind of clock, start, initial settings, labels, and idle timeout, time of creation, and incarnation.
  package mutating func browserRecord() throws -> BrowserRecord {
    BrowserRecord(
      id: BrowserID(try integer()), name: try text(), seed: try text(), clockMode: try named(), start: try instant(),
      initialSettings: try settings(), initialUpkeep: try upkeep(), createdAt: try instant(), incarnation: try text())
  }

  /// The columns of ``browserRecord()``. Throws only when the number is damaged.
  package mutating func browser() throws -> Result<BrowserRecord, UnreadableBrowser> {
    var head = self
    let id = BrowserID(try head.integer())
    do {
      return .success(try browserRecord())
    } catch let error as StoreError {
      return .failure(UnreadableBrowser(id: id, name: try? head.text(), error: error))
    }
  }

  /// The columns of ``browserRecord()``, and labels and idle timeout now. The browser is nil when the row is damaged.
  package mutating func listedBrowser() throws -> (name: String, browser: ListedBrowser?) {
    var head = self
    _ = try head.integer()
    let name = try head.text()
    do {
      return (name, ListedBrowser(record: try browserRecord(), upkeep: try upkeep()))
    } catch StoreError.unreadable {
      return (name, nil)
    }
  }

  /// The number, time, kind, and detail.
  package mutating func event() throws -> LogEvent {
    let (sequence, at) = (try number() as Int64, try instant() as Instant)
    guard let kind = EventKind(known: try text()) else { throw corrupt() }
    return LogEvent(sequence: sequence, at: at, kind: kind, detail: .verbatim(try jsonText()))
  }
}
