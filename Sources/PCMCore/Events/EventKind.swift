/// The kind of an event in a browser's log. The file of the event's details declares its name, which is part of the API's contract.
package struct EventKind: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
  /// The string in the service's JSON.
  package let rawValue: String

  /// Creates a value from any string, known or not.
  package init(rawValue: String) { self.rawValue = rawValue }

  init(_ name: String) { self.init(rawValue: name) }

  /// The string in the service's JSON.
  package var description: String { rawValue }
}

extension EventKind: CaseIterable {
  /// The kinds of this version, in the order of the documents.
  package static let allCases = EventType.all.map(\.kind)

  /// Creates a kind of this version; nil for another string.
  package init?(known text: String) {
    guard let type = EventType.byKind[Self(text)] else { return nil }
    self = type.kind
  }
}
