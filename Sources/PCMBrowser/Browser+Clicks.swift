import PCMCore
import PCMStore

extension Browser {
  /// An app opens a URL with a `UIEventAttribution`.
  package func open(_ input: EventAttributionInput) async throws -> ClickOutcome {
    let now = now
    let tap = try input.tap(app: apps[input.app], world: world, at: now)
    return try await keep(tap.decide(settings.session), via: "event-attribution", at: now)
  }

  /// A user follows a link with the attribution attributes.
  package func follow(_ input: LinkClickInput) async throws -> ClickOutcome {
    let now = now
    let link = try input.link(world: world, at: now)
    return try await keep(link.decide(settings.session), via: "link-click", at: now)
  }

  private func keep(_ decision: ClickDecision, via: String, at now: Instant) async throws -> ClickOutcome {
    let isPrivate = settings.session.privateBrowsing
    // A click alone moves no timer, so nothing is asked about what is due next.
    return try await commit { writer in
      switch decision {
      case .discard(let refusal): try writer.discard(refusal, via: via, at: now)
      case .hold(let click, let notes):
        try writer.hold(click, notes, in: isPrivate ? .privateSlot : .slot, via: via, at: now)
      case .store(let click, let notes): try writer.store(click, notes, via: via, at: now)
      }
    }
  }
}

extension BrowserWriter {
  func discard(_ refusal: ClickRefusal, via: String, at now: Instant) throws -> ClickOutcome {
    let reason = refusal.reason
    try append(.clickDiscarded, at: now, ["via": .string(via), "reasons": [reason.json]])
    return ClickOutcome(kind: .discarded, reasons: [reason], click: nil, replaced: nil)
  }

  /// The slot holds one click; a new one takes its place (reference, section 3.3).
  func hold(
    _ click: Click, _ notes: [ClickNote], in slot: ClickPlace, via: String, at now: Instant
  ) throws -> ClickOutcome {
    let kept = KeptClick(id: try nextSequence(), click: click)
    let previous = try clicks(in: slot, after: 0, limit: 1).first
    let reasons = (notes + (previous.map { [.heldClickReplaced(id: $0.id)] } ?? [])).map(\.reason)
    try append(.clickHeld, at: now, kept.detail(via: via, reasons: reasons))
    if let previous {
      try removeClick(previous.click.key, in: slot)
      try logReplacement(of: previous, by: kept, at: now)
    }
    try save(kept, in: slot)
    return ClickOutcome(kind: .held, reasons: reasons, click: kept, replaced: previous?.id)
  }

  /// The normal path of section 2.5: expired clicks go first, then the click replaces what has its key.
  func store(_ click: Click, _ notes: [ClickNote], via: String, at now: Instant) throws -> ClickOutcome {
    try expireClicks(at: now)
    let kept = KeptClick(id: try nextSequence(), click: click)
    let previous = try self.click(click.key, in: .table)
    let reasons = (notes + (previous.map { [.clickReplaced(id: $0.id)] } ?? [])).map(\.reason)
    try save(kept, in: .table)
    try append(.clickStored, at: now, kept.detail(via: via, reasons: reasons))
    if let previous { try logReplacement(of: previous, by: kept, at: now) }
    return ClickOutcome(kind: .stored, reasons: reasons, click: kept, replaced: previous?.id)
  }

  func logReplacement(of previous: KeptClick, by successor: KeptClick, at now: Instant) throws {
    try append(
      .clickReplaced, at: now,
      ["click": .string(RecordName.click(previous.id)), "by": .string(RecordName.click(successor.id))])
  }

  /// Removes unattributed clicks that are older than their lifetime and returns them (reference, section 3.2).
  @discardableResult
  func expireClicks(at now: Instant) throws -> [KeptClick] {
    let expired = try clicks(in: .table, madeBefore: now - Click.lifetime)
    for gone in expired {
      try removeClick(gone.click.key, in: .table)
      try append(
        .clickExpired, at: now,
        ["click": .string(RecordName.click(gone.id)), "expiredAt": .string(gone.click.expiresAt.text)])
    }
    return expired
  }
}
