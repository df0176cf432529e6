package import PCMCore
import PCMStore

/// A click that a caller posted: its outcome, and what became of it.
package struct ClickRecord: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// The click is stored and can be attributed to a triggering event. An expired click stays stored until the next click or
    /// triggering event.
    case stored
    /// The click is the ephemeral click.
    case ephemeral
    /// The click is stored in the normal session, and cannot be attributed before the private session ends.
    case suspended
    case attributed
    /// A newer click took its place.
    case replaced
    case expired
    /// A triggering event consumed the click without a report.
    case lost
    /// The data was cleared, or the private session ended.
    case cleared
    case discarded
  }

  /// The number of the click, which is that of its event.
  package let id: Int64
  /// The time on the browser's clock.
  package let at: Instant
  package let outcome: ClickOutcome.Kind
  package let state: State
  package let reasons: [Reason]
  /// Nil when the click was discarded.
  package let click: KeptClick?
  /// The name of the key that signed the click's token; nil without a token.
  package let sourceKeyID: String?
  /// The click that this one replaced.
  package let replaced: Int64?
  /// The click that replaced this one.
  package let successor: Int64?
  /// The attribution of the click.
  package let attribution: Int64?
}

extension ClickOutcome {
  /// The record of the new click.
  package var record: ClickRecord {
    let state: ClickRecord.State =
      switch kind {
      case .stored: .stored
      case .ephemeral: .ephemeral
      case .discarded: .discarded
      }
    // A new click has no token yet.
    return ClickRecord(
      id: sequence, at: at, outcome: kind, state: state, reasons: reasons, click: click, sourceKeyID: nil, replaced: replaced,
      successor: nil, attribution: nil)
  }
}

/// Reads the clicks of a browser: from the log, and from the stored rows, which may be older than the log.
struct ClickReading {
  let log: LogReading
  let isPrivateSession: Bool

  /// Returns the click with a number, or nil when neither the log nor a row has it.
  func record(_ id: Int64, _ effort: inout ReadingEffort) throws -> ClickRecord? {
    if let event = try log.event(id) { return try record(event, &effort) }
    for place in ClickPlace.allCases {
      guard let kept = try log.reader.clicks(in: place, after: id - 1, limit: 1).first, kept.id == id else { continue }
      return record(kept, in: place)
    }
    return nil
  }

  /// Returns the click whose outcome an event records, or nil for another event.
  func record(_ logged: LoggedEvent, _ effort: inout ReadingEffort) throws -> ClickRecord? {
    guard logged.event.isPostedClick(logged.sequence) else { return nil }
    let (id, reasons) = (logged.sequence, logged.event.reasons)
    guard let stored = logged.event.keptClick else {
      return ClickRecord(
        id: id, at: logged.at, outcome: .discarded, state: .discarded, reasons: reasons, click: nil, sourceKeyID: nil,
        replaced: nil, successor: nil, attribution: nil)
    }
    let outcome: ClickOutcome.Kind = logged.kind == .clickStored ? .stored : .ephemeral
    if let row = try row(of: stored) {
      return ClickRecord(
        id: id, at: logged.at, outcome: outcome, state: state(in: row.place), reasons: reasons, click: row.kept,
        sourceKeyID: row.kept.click.token?.keyID, replaced: try replaced(by: id), successor: nil, attribution: nil)
    }
    let (ending, keyID) = try ending(of: id, &effort)
    let click = Click(key: stored.key, sourceID: stored.sourceID, clickedAt: logged.at)
    return ClickRecord(
      id: id, at: logged.at, outcome: outcome, state: ending?.state ?? .cleared, reasons: reasons,
      click: KeptClick(id: id, click: click), sourceKeyID: keyID, replaced: try replaced(by: id),
      successor: ending?.successor, attribution: ending?.attribution)
  }

  /// Returns a click whose event was removed from the log.
  func record(_ kept: KeptClick, in place: ClickPlace) -> ClickRecord {
    let isEphemeral = place == .ephemeral || place == .privateEphemeral
    return ClickRecord(
      id: kept.id, at: kept.click.clickedAt, outcome: isEphemeral ? .ephemeral : .stored, state: state(in: place),
      reasons: [], click: kept, sourceKeyID: kept.click.token?.keyID, replaced: nil, successor: nil, attribution: nil)
  }

  /// Returns the state of a click that the browser keeps.
  private func state(in place: ClickPlace) -> ClickRecord.State {
    switch place {
    case .table: isPrivateSession ? .suspended : .stored
    case .ephemeral: isPrivateSession ? .suspended : .ephemeral
    case .privateTable: .stored
    case .privateEphemeral: .ephemeral
    }
  }

  private func row(of stored: ClickStored) throws -> (kept: KeptClick, place: ClickPlace)? {
    for place in ClickPlace.allCases {
      if let kept = try log.reader.click(stored.key, in: place), kept.id == stored.click { return (kept, place) }
    }
    return nil
  }

  /// Returns the click that a click replaced. The replacement is the next event of the same transaction.
  private func replaced(by id: Int64) throws -> Int64? {
    guard case .clickReplaced(let event)? = try log.event(id + 1)?.event, event.successor == id else { return nil }
    return event.click
  }

  /// Returns the event that ended a click, and the name of the key of its token.
  private func ending(of id: Int64, _ effort: inout ReadingEffort) throws -> (ClickEnding?, keyID: String?) {
    var keyID: String?
    let ending = try log.first(after: id, about: RecordName.click(id), &effort) { logged in
      if case .tokenStored(let stored) = logged.event, stored.exchange.click == id { keyID = stored.keyID }
      return ClickEnding(logged, of: id)
    }
    return (ending, keyID)
  }
}

/// The event that ended a click.
private struct ClickEnding {
  let state: ClickRecord.State
  var successor: Int64?
  var attribution: Int64?

  init?(_ logged: LoggedEvent, of click: Int64) {
    switch logged.event {
    case .attributed(let event) where event.click == click: (state, attribution) = (.attributed, event.attribution)
    case .clickReplaced(let event) where event.click == click: (state, successor) = (.replaced, event.successor)
    case .clickExpired(let event) where event.click == click: state = .expired
    case .clickConsumedByLowerPriority(let event) where event.click == click: state = .lost
    case .triggerUnmatched(let event) where event.lostClick == click: state = .lost
    default: return nil
    }
  }
}

extension BrowserEvent {
  /// The click of an event that stores one or keeps it as the ephemeral click.
  var keptClick: ClickStored? {
    switch self {
    case .clickStored(let click), .ephemeralClickStored(let click): click
    default: nil
    }
  }

  /// Returns whether the event records the outcome of a click, and not the storing of one that was ephemeral before.
  fileprivate func isPostedClick(_ sequence: Int64) -> Bool {
    if case .clickDiscarded = self { return true }
    return keptClick?.click == sequence
  }
}
