import PCMCore

/// The events of a browser that the story shows, and the timeline does not.
struct NoteHistory: Sendable {
  /// The kinds of the events to note.
  static let kinds: Set<EventKind> = [
    .appRegistered, .dataCleared, .clockSetBack, .settingsChanged, .deviceChanged, .adNetworkRegistered, .appLaunched,
    .conversionValueRejected, .cardReceived, .cardCounted, .cardRejected, .trackingRequested, .trackingAnswered,
    .trackingChanged, .trackingRejected, .sdkEventHeld, .sdkRequestDelivered, .sdkRequestFailed, .tokenFailed, .pageAttached,
    .attachmentLost, .pageClickDropped,
  ]

  private(set) var items: [HistoryItem] = []

  mutating func note(_ event: ShownEvent) {
    guard Self.kinds.contains(event.kind) else { return }
    let isRejection = ["-rejected", "-failed", "-lost", "-dropped"].contains { event.kind.rawValue.hasSuffix($0) }
    let values = event.detail.members.compactMap { member in
      member.value.string ?? member.value.integer.map { "\(member.name) \($0)" }
    }
    items.append(
      HistoryItem(
        kind: isRejection ? .rejected : .note, id: subject(of: event), start: event.at, title: event.kind.rawValue.words,
        outcome: isRejection ? "failed" : "",
        facts: (values.prefix(4) + event.detail.reasonCodes).map { $0.asShown(upTo: 80) }, reason: event.detail.firstReason,
        sequence: event.sequence))
  }

  /// The record to explain; empty for an event without an explanation.
  private func subject(of event: ShownEvent) -> String {
    if event.kind == .trackingRequested { return RecordName.trackingRequest(event.sequence) }
    let kinds = RecordName.Kind.allCases.filter { $0 != .attribution }
    let names = event.detail.members.compactMap(\.value.string)
    return names.first { name in kinds.contains { $0.number(name) != nil } } ?? ""
  }
}

extension String {
  /// The words of a kind: "App registered".
  fileprivate var words: String { replacing("-", with: " ").titled }
}
