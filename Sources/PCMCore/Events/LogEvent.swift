/// One entry of a browser's event log.
package struct LogEvent: Hashable, Sendable {
  package let sequence: Int64
  /// The time on the browser's clock.
  package let at: Instant
  package let kind: EventKind
  package let detail: JSON

  package init(sequence: Int64, at: Instant, kind: EventKind, detail: JSON) {
    self.sequence = sequence
    self.at = at
    self.kind = kind
    self.detail = detail
  }

  /// The detail without its decision, as the API returns it.
  ///
  /// The decision is the last member of a detail, so the text before it is scanned and the rest is dropped. A search for the
  /// name would also find it in a value, such as a URL that contains it.
  package var detailWithoutDecision: JSON {
    let bytes = detail.bytes
    guard let end = try? Self.endBeforeDecision(bytes) else { return detail }
    return .verbatim(String(decoding: bytes[..<end], as: UTF8.self) + "}")
  }

  /// Returns the end of the member before the decision; nil for a detail without a decision.
  private static func endBeforeDecision(_ detail: [UInt8]) throws(MalformedJSON) -> Int? {
    var scanner = JSONScanner(detail)
    guard scanner.skip("{") else { return nil }
    var (isFirst, end) = (true, scanner.position)
    while try scanner.advance(until: "}", isFirst: &isFirst) {
      if try scanner.name().bytes.elementsEqual(EventMembers.decisionName.utf8) { return end }
      try scanner.skipValue()
      end = scanner.position
    }
    return nil
  }

  /// Creates an entry as it is stored, with the detail as text.
  package init(sequence: Int64, at: Instant, _ event: any BrowserEvent) {
    self.init(
      sequence: sequence, at: at, kind: event.kind, detail: .verbatim(String(decoding: event.json, as: UTF8.self)))
  }

  /// Returns whether the event introduces the click, triggering event, attribution, or report with this name. Such an event
  /// and its record have the same number, unless the record existed before.
  package func introduces(_ name: String) -> Bool {
    guard let record = EventType.byKind[kind]?.type.introduced, let number = record.kind.number(name) else { return false }
    return (!record.isNumbered || number == sequence)
      && (!record.isNamed || detail.text.utf8.starts(with: "{\"\(record.kind.rawValue)Id\":\"\(name)\"".utf8))
      && record.mark.map(detail.text.contains) ?? true
  }
}
