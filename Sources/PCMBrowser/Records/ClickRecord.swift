package import PCMCore
import PCMStore

/// A click that a caller posted: its outcome and its state.
package struct ClickRecord: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case stored
    case ephemeral
    case discarded
    /// A link to the App Store became a web ad of the device.
    case handedOver = "handed-over"
  }

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
    /// The click became a web ad of the device.
    case handedOver = "handed-over"
  }

  /// The number of the click and of its event.
  package let sequence: Int64
  /// The time on the browser's clock.
  package let at: Instant
  /// The outcome of the call.
  package let kind: Kind
  package let state: State
  package let reasons: [Reason]
  /// Nil when the click was discarded or handed over.
  package var click: KeptClick?
  /// The name of the key that signed the click's token; nil without a token.
  package var sourceKeyID: String?
  /// The replaced click.
  package var replaced: Int64?
  /// The click that replaced this click.
  package var successor: Int64?
  /// The attribution of the click.
  package var attribution: Int64?
  /// The request for the signed values of a web ad, if the call caused one.
  var webAdOrder: WebAdOrder?

  /// The number of the web ad that the click became; nil for any other click. Its explanation says whether it counts.
  package var webAd: Int64? { reasons.contains { $0.code == AppStoreDonation.reasonCode } ? sequence + 1 : nil }
}

extension ClickRecord: OperationOutcome {
  /// The record as the API returns it.
  package var json: JSON {
    [
      "id": .string(RecordName.click(sequence)),
      "at": .string(at.text),
      "outcome": .string(kind.rawValue),
      "reasons": .array(reasons.map(\.json)),
      "state": .string(state.rawValue),
      "click": click?.json(replaced: replaced, sourceKeyID: sourceKeyID) ?? .null,
      "attributionId": .string(attribution.map(RecordName.attribution)),
      "successorId": .string(successor.map(RecordName.click)),
      "impressionId": .string(webAd.map(RecordName.impression)),
      "sequence": .number(sequence),
    ]
  }

  package var location: String? { "clicks/\(RecordName.click(sequence))" }
  package var progress: CallProgress { CallProgress(outcome: kind.rawValue, reasons: reasons) }
}

extension KeptClick {
  /// - Parameters:
  ///   - replaced: The replaced click.
  ///   - sourceKeyID: The name of the key that signed the click's token.
  fileprivate func json(replaced: Int64?, sourceKeyID: String?) -> JSON {
    [
      "id": .string(RecordName.click(id)),
      "sourceSite": .string(click.key.source.domain),
      "destinationSite": .string(click.key.destination.domain),
      "sourceIdentifier": .number(Int64(click.sourceID)),
      "bundleIdentifier": .string(click.key.bundleIdentifier),
      "clickedAt": .string(click.clickedAt.text),
      "expiresAt": .string(click.expiresAt.text),
      "replacedClickId": .string(replaced.map(RecordName.click)),
      "sourceToken": .token(keyID: sourceKeyID),
    ]
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
      return try record(StoredClick(kept: kept, place: place))
    }
    return nil
  }

  /// Returns the click whose outcome an event records, or nil for another event.
  func record(_ logged: LoggedEvent, _ effort: inout ReadingEffort) throws -> ClickRecord? {
    guard logged.event.isPostedClick(logged.sequence) else { return nil }
    let (id, reasons) = (logged.sequence, logged.event.reasons)
    guard let stored = logged.event.keptClick else {
      let state: ClickRecord.State = logged.kind == .clickHandedOver ? .handedOver : .discarded
      return ClickRecord(sequence: id, at: logged.at, kind: logged.clickKind, state: state, reasons: reasons)
    }
    if let row = try row(of: stored) { return try record(row, logged) }
    let (ending, keyID) = try ending(of: id, &effort)
    let clickedAt = stored.expiresAt - Click.lifetime
    let click = Click(key: stored.key, sourceID: stored.sourceID, clickedAt: clickedAt)
    return ClickRecord(
      sequence: id, at: logged.at, kind: logged.clickKind, state: ending?.state ?? .cleared, reasons: reasons,
      click: KeptClick(id: id, click: click), sourceKeyID: keyID, replaced: try replaced(by: id),
      successor: ending?.successor, attribution: ending?.attribution)
  }

  /// Returns the click of a row.
  func record(_ row: StoredClick) throws -> ClickRecord { try record(row, try log.event(row.id)) }

  /// - Parameter logged: The event of the click; nil when it was removed from the log.
  private func record(_ row: StoredClick, _ logged: LoggedEvent?) throws -> ClickRecord {
    let click = row.kept.click
    let isEphemeral = row.place == .ephemeral || row.place == .privateEphemeral
    return ClickRecord(
      sequence: row.id, at: logged?.at ?? click.clickedAt, kind: logged?.clickKind ?? (isEphemeral ? .ephemeral : .stored),
      state: state(in: row.place), reasons: logged?.event.reasons ?? [], click: row.kept, sourceKeyID: click.token?.keyID,
      replaced: try logged.flatMap { try replaced(by: $0.sequence) })
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

  private func row(of stored: ClickStored) throws -> StoredClick? {
    for place in ClickPlace.allCases {
      guard let kept = try log.reader.click(stored.key, in: place), kept.id == stored.click else { continue }
      return StoredClick(kept: kept, place: place)
    }
    return nil
  }

  /// Returns the click that a click replaced. The replacement is the next event of the same transaction.
  private func replaced(by id: Int64) throws -> Int64? {
    guard let event = try log.event(id + 1)?.event as? ClickReplaced, event.successor == id else { return nil }
    return event.click
  }

  /// Returns the event that ended a click, and the name of the key of its token.
  private func ending(of id: Int64, _ effort: inout ReadingEffort) throws -> (ClickEnding?, keyID: String?) {
    var keyID: String?
    let ending = try log.first(after: id, about: RecordName.click(id), &effort) { logged in
      if let stored = logged.event as? TokenStored, stored.exchange.click == id { keyID = stored.keyID }
      return ClickEnding(logged, of: id)
    }
    return (ending, keyID)
  }
}

/// A click in a row of a browser.
struct StoredClick: Identifiable {
  let kept: KeptClick
  let place: ClickPlace

  var id: Int64 { kept.id }
}

extension LoggedEvent {
  /// The outcome that the event of a click records.
  var clickKind: ClickRecord.Kind {
    switch kind {
    case .clickStored: .stored
    case .clickDiscarded: .discarded
    case .clickHandedOver: .handedOver
    default: .ephemeral
    }
  }
}

/// The event that ended a click.
private struct ClickEnding {
  let state: ClickRecord.State
  var successor: Int64?
  var attribution: Int64?

  init?(_ logged: LoggedEvent, of click: Int64) {
    switch logged.event {
    case let event as Attributed where event.click == click: (state, attribution) = (.attributed, event.attribution)
    case let event as ClickReplaced where event.click == click: (state, successor) = (.replaced, event.successor)
    case let event as ClickExpired where event.click == click: state = .expired
    case let event as ClickConsumed where event.click == click: state = .lost
    case let event as TriggerUnmatched where event.lostClick == click: state = .lost
    default: return nil
    }
  }
}

extension BrowserEvent {
  /// The click of an event that stores one or keeps it as the ephemeral click.
  var keptClick: ClickStored? { self as? ClickStored }

  /// Returns whether the event records the outcome of a click, and not the later storing of an ephemeral click.
  fileprivate func isPostedClick(_ sequence: Int64) -> Bool {
    self is ClickDiscarded || keptClick?.click == sequence
  }
}
