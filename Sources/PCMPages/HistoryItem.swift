import PCMCore

/// An item of a browser's history: a row of the story, and a mark or a bar of the timeline.
struct HistoryItem: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    /// A click with its lifetime.
    case click
    case attributed, unmatched, rejected, ignored
    /// The time in which the report of an attribution leaves.
    case window
    case scheduled, delivered, failed
    /// A message that was replaced or cleared.
    case dropped
    /// An ad for an app, and its install.
    case ad, install
    /// A conversion window or a timer, and a conversion value.
    case conversion, value
    /// Another event, which only the story shows.
    case note
  }

  let kind: Kind
  /// The record to explain; empty for an event without an explanation.
  let id: String
  let start: Instant
  /// The end of a bar; nil for a mark.
  var end: Instant?
  /// The item in words, such as "Tap on an ad for shop.example".
  let title: String
  /// The outcome in a word or two, such as "discarded"; empty for an item without one.
  var outcome = ""
  /// The values and the codes of the reasons.
  var facts: [String] = []
  /// The first reason in words; nil without one.
  var reason: String?
  /// The number of the event; nil for an item that its record numbers.
  var sequence: Int64?
  /// 0 for clicks, 1 for triggering events, 2 and 3 for the messages to the two recipients. For ads that lead to apps: 0 for
  /// ads and installs, 1 for conversion windows and values, 2 for postbacks, and 3 for their copies.
  var row = 0
  /// The recipient of the messages in the row, which labels it; empty for another item.
  var recipient = ""
  /// Whether the message is the developer's copy of a postback, which is drawn with a ring.
  var isCopy = false

  var last: Instant { max(end ?? start, start) }

  /// The item and its outcome, for readers of the timeline.
  var label: String { "\(title)\(outcome.isEmpty ? "" : ", \(outcome)"): \(id)" }

  /// Whether the item is a report or a postback.
  var isMessage: Bool { [.scheduled, .delivered, .failed, .dropped].contains(kind) }

  /// Whether the story has a row for the item. Windows are only drawn.
  var isInStory: Bool { kind != .window && kind != .conversion }
}

extension JSON {
  /// The codes of the reasons of an event or a record.
  var reasonCodes: [String] { self["reasons"]?.items.compactMap { $0["code"]?.string } ?? [] }

  /// The first reason in words; nil without one.
  var firstReason: String? { self["reasons"]?.items.first?["detail"]?.string }

  /// Returns the members with these names that have a value, each as its name and its value.
  func facts(_ names: String...) -> [String] {
    names.compactMap { name in
      guard let value = self[name], value != .null else { return nil }
      return "\(name) \((value.string ?? value.text).asShown(upTo: 80))"
    }
  }
}
