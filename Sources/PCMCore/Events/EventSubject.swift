/// The names of a browser's records in the log, the API, and reasons.
package enum RecordName {
  /// The numbers of events and records. The next numbers fit into 64 bits.
  package static let numbers: ClosedRange<Int64> = 0...1 << 62

  package static func click(_ id: Int64) -> String { Kind.click.name(id) }
  package static func attribution(_ id: Int64) -> String { Kind.attribution.name(id) }
  package static func report(_ id: Int64) -> String { Kind.report.name(id) }
  package static func triggeringEvent(_ id: Int64) -> String { Kind.triggeringEvent.name(id) }
  package static func impression(_ id: Int64) -> String { Kind.impression.name(id) }
  package static func install(_ id: Int64) -> String { Kind.install.name(id) }
  package static func conversion(_ id: Int64) -> String { Kind.conversion.name(id) }
  package static func postback(_ id: Int64) -> String { Kind.postback.name(id) }
  package static func card(_ id: Int64) -> String { Kind.card.name(id) }
  package static func trackingRequest(_ id: Int64) -> String { Kind.trackingRequest.name(id) }
  package static func sdkRequest(_ id: Int64) -> String { Kind.sdkRequest.name(id) }

  /// Returns the number in a name of any kind, or nil for other text.
  package static func number(in name: String) -> Int64? {
    Kind.allCases.lazy.compactMap { $0.number(name) }.first
  }

  /// Whether the text has the form of a name, and a number that no record has, as in `click-0` and `click-01`.
  package static func hasImpossibleNumber(_ text: String) -> Bool {
    Kind.allCases.contains { kind in
      guard text.hasPrefix("\(kind.rawValue)-"), kind.number(text) == nil else { return false }
      let digits = text.utf8.dropFirst(kind.rawValue.utf8.count + 1)
      return !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
  }

  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case click, attribution, report, impression, install, conversion, postback, card
    case triggeringEvent = "triggering-event"
    case trackingRequest = "tracking-request"
    case sdkRequest = "sdk-request"

    /// Returns a name such as `click-12`. A sum of texts takes less time than an interpolation.
    func name(_ id: Int64) -> String { rawValue + "-" + String(id) }

    /// Returns the number in a name such as `click-12`, or nil for other text.
    package func number(_ name: String) -> Int64? {
      guard name.hasPrefix("\(rawValue)-"), let number = Int64(name.dropFirst(rawValue.utf8.count + 1)), number > 0,
        name == self.name(number)
      else { return nil }
      return number
    }
  }
}

/// The subject of an event.
package enum EventSubject: Hashable, Sendable {
  case record(RecordName.Kind, Int64)
  case site(Site)
  case app(bundleIdentifier: String)
  case adNetwork(String)

  /// The name in the API: `click-12`, `shop.example`, `com.example.news`.
  package var name: String {
    switch self {
    case .record(let kind, let id): kind.name(id)
    case .site(let site): site.domain
    case .app(let bundleIdentifier): bundleIdentifier
    case .adNetwork(let identifier): identifier
    }
  }

  /// The number of a record; nil for other subjects.
  package var number: Int64? { if case .record(_, let id) = self { id } else { nil } }
}

extension [EventSubject] {
  /// The two sites of a click or a triggering event, once if they are the same.
  static func sites(_ source: Site, _ destination: Site) -> [EventSubject] {
    source == destination ? [.site(source)] : [.site(source), .site(destination)]
  }
}
