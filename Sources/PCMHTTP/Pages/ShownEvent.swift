import PCMBrowser
import PCMCore
import PCMStore

/// An event of the log with the members of its detail that the views of a page read.
struct ShownEvent {
  /// The names of these members. Their values are short.
  private static let names = [
    "clickId", "site", "sourceSite", "destinationSite", "expiresAt", "bundleIdentifier", "impressionId", "conversionId",
    "adNetworkIdentifier", "advertisedAppStoreItemIdentifier", "timing", "conversionWindowStart", "windowCount", "type",
    "sequenceIndex", "fineValue",
    "coarseValue",
  ]

  private enum Value {
    case text(String)
    case number(Int64)
  }

  let kind: EventKind
  let sequence: Int64
  let at: Instant
  private let members: [(name: String, value: Value)]

  init?(_ event: LogEvent) {
    guard let detail = JSON(parsing: event.detailWithoutDecision.bytes) else { return nil }
    (kind, sequence, at) = (event.kind, event.sequence, event.at)
    members = Self.names.compactMap { name -> (name: String, value: Value)? in
      switch detail[name] {
      case .string(let text)?: return (name, .text(text))
      case .number(let number)?: return (name, .number(number))
      default: return nil
      }
    }
  }

  func text(_ name: String) -> String? {
    guard case .text(let text)? = value(name) else { return nil }
    return text
  }

  func number(_ name: String) -> Int64? {
    guard case .number(let number)? = value(name) else { return nil }
    return number
  }

  private func value(_ name: String) -> Value? { members.first { $0.name == name }?.value }

  /// The bundle identifier of the app; empty without one.
  var app: String { text("bundleIdentifier") ?? "" }
  var impression: Int64? { text("impressionId").flatMap(RecordName.Kind.impression.number) }
  var conversion: Int64? { text("conversionId").flatMap(RecordName.Kind.conversion.number) }

  /// The size of the event in memory in bytes, approximately.
  var size: Int {
    members.reduce(64) { size, member in
      guard case .text(let text) = member.value else { return size + 40 }
      return size + 40 + text.utf8.count
    }
  }
}

extension Browser {
  /// Returns the newest events of some kinds, as far as the page shows the log. Ends between two parts of the log when the caller
  /// has left.
  func newestEvents(_ kinds: Set<EventKind>) async throws -> NewestItems<ShownEvent> {
    let end = try await logEnd()
    var newest = NewestItems<ShownEvent>(count: Int(Self.shownHistory), bytes: PageSize.mostReadBytes, size: \.size)
    var position: Int64? = max(end - Self.shownHistory, 0)
    while let after = position, after < end {
      let page = try await eventPage(after: after, limit: 10_000, EventSelection(kinds: kinds))
      newest.add(page.items.compactMap { ShownEvent($0) })
      position = page.next
    }
    return newest
  }
}
