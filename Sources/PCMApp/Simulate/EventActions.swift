import Foundation
import PCMBrowser
import PCMCore
import PCMURL

/// The actions of records. Records with the same cells have the same action, whose URLs are read once. Links and triggering events that
/// differ only in their numbers share it, too.
struct EventActions {
  private let sites: SiteParser
  private var known = ActionTable()
  private var key: [UInt8] = []

  init(sites: SiteParser) { self.sites = sites }

  /// Returns the action of a record.
  mutating func action(_ cells: EventCells, _ columns: EventColumns) throws(EventError) -> SimulatedAction {
    let numbers = Numbers(cells, columns)
    switch numbers {
    case .link: setKey(cells, gaps: columns.keyGaps.link)
    case .trigger: setKey(cells, gaps: columns.keyGaps.trigger)
    case nil: setKey(cells, gaps: columns.keyGaps.all)
    }
    let hash = Self.quickHash(key)
    if let found = known[key, hash] {
      switch numbers {
      case .link(let sourceID): return found.link(withSourceID: sourceID)
      case .trigger(let trigger): return found.triggeringEvent(with: trigger)
      case nil: return found
      }
    }
    let action = try EventReading(cells: cells, columns: columns, sites: sites).action()
    known.insert(action, key, hash)
    return action
  }

  /// - Parameter gaps: The cells that are not in the key, in their order.
  private mutating func setKey(_ cells: EventCells, gaps: [Int]) {
    key.removeAll(keepingCapacity: true)
    key.append(UInt8(truncatingIfNeeded: gaps.count))
    var start = 0
    for gap in gaps {
      cells.append(start..<gap, to: &key)
      key.append(EventCells.separator)
      start = gap + 1
    }
    cells.append(start..<cells.count, to: &key)
  }

  /// A hash of eight bytes at a time, for the memory of one run.
  private static func quickHash(_ bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { bytes in
      var (hash, place) = (UInt64(bytes.count), 0)
      while place + 8 <= bytes.count {
        hash = SplitMix64.mix(hash ^ bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        place += 8
      }
      while place < bytes.count {
        hash = (hash ^ UInt64(bytes[place])) &* 0x0000_0100_0000_01B3
        place += 1
      }
      return SplitMix64.mix(hash)
    }
  }

  /// FNV-1a.
  static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    SplitMix64.mix(bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 })
  }
}

/// The numbers of a link or a triggering event that are all in their range. Records that differ in nothing else share an action.
private enum Numbers {
  case link(sourceID: UInt8)
  case trigger(Trigger)

  init?(_ cells: EventCells, _ columns: EventColumns) {
    guard columns.kind < cells.count else { return nil }
    let kind = cells[columns.kind]
    if Self.links.contains(where: kind.elementsEqual) {
      guard let column = columns.numbers.link.first, let sourceID = Self.number(cells, column, upTo: 255) else { return nil }
      self = .link(sourceID: sourceID)
    } else if Self.triggers.contains(where: kind.elementsEqual) {
      guard columns.numbers.trigger.count == 2, let data = Self.number(cells, columns.numbers.trigger[0], upTo: 15),
        let priority = Self.number(cells, columns.numbers.trigger[1], upTo: 63)
      else { return nil }
      self = .trigger(Trigger(data: data, priority: priority))
    } else {
      return nil
    }
  }

  private static let links = names(of: .link)
  private static let triggers = names(of: .trigger)

  private static func names(of step: EventStep) -> [[UInt8]] {
    EventStep.names.filter { EventStep(name: $0) == step }.map { Array($0.utf8) }
  }

  /// Returns the number in a cell of one to three digits; nil for any other cell, and for a number above a maximum.
  private static func number(_ cells: EventCells, _ column: Int, upTo maximum: Int) -> UInt8? {
    guard column < cells.count, (1...3).contains(cells[column].count) else { return nil }
    var number = 0
    for byte in cells[column] {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + Int(byte & 15)
    }
    return number <= maximum ? UInt8(number) : nil
  }
}

/// The reading of a record as a step.
private struct EventReading {
  let cells: EventCells
  let columns: EventColumns
  let sites: SiteParser

  func action() throws(EventError) -> SimulatedAction {
    let name = cells.text(columns.kind) ?? ""
    guard let step = EventStep(name: name) else {
      throw EventError(
        column: "kind", detail: "\"\(name)\" is no kind of event; use \(EventStep.names.joined(separator: ", "))")
    }
    do {
      switch step {
      case .link: return try SimulatedAction(try input(LinkClickInput.self, step), sites: sites)
      case .tap: return try tap()
      case .trigger: return try SimulatedAction(try input(TriggeringEventInput.self, step), sites: sites)
      case .settings: return SimulatedAction(try input(SettingsChange.self, step))
      case .clear: return SimulatedAction(clearing: try value("site", of: step).map(sites.namedSite))
      }
    } catch let error as EventError {
      throw error
    } catch BodyError.invalid(let errors), BrowserError.invalidInput(let errors) {
      throw self.error(errors.first, step)
    } catch {
      throw EventError(column: nil, detail: "the event cannot be read")
    }
  }

  /// An app is its report endpoint. Without an identifier, it has the name of its host.
  private func tap() throws -> SimulatedAction {
    guard let text = value("reportEndpoint", of: .tap) else {
      throw EventError(column: "source", detail: "an event-attribution needs the site of the app's report endpoint")
    }
    guard let endpoint = try? sites.url(text), endpoint.scheme == "https", endpoint.hasRegistrableDomain else {
      throw EventError(
        column: column(of: "reportEndpoint", in: .tap), detail: "\"\(text)\" is no https URL with a registrable domain")
    }
    let name = value("bundleIdentifier", of: .tap) ?? endpoint.host
    return try SimulatedAction(
      try input(EventAttributionInput.self, .tap, more: ["bundleIdentifier": name]), endpoint: endpoint, sites: sites)
  }

  private func input<Input: JSONBody>(_: Input.Type, _ step: EventStep, more: [String: String] = [:]) throws -> Input {
    let members = step.members.compactMap { member -> JSON.Member? in
      guard member.name != "reportEndpoint", let text = value(member.name, of: step) ?? more[member.name] else { return nil }
      return JSON.Member(member.name, Self.json(text, member.kind))
    }
    return try Input(json: JSON.object(members).bytes)
  }

  /// A value that is not of the kind stays text, which the input rejects.
  private static func json(_ text: String, _ kind: ValueDescription.Kind) -> JSON {
    switch kind {
    case .integer: Int64(text).map { .number($0) } ?? .string(text)
    case .flag: text == "true" ? .bool(true) : text == "false" ? .bool(false) : .string(text)
    default: .string(text)
    }
  }

  /// Returns the value of a member, from its column or from its short column; nil if it is absent.
  private func value(_ member: String, of step: EventStep) -> String? {
    if let index = columns.names.firstIndex(of: member), let text = cells.text(index), !isShort(member, step) { return text }
    guard let column = EventColumns.short.first(where: { $0.members[step] == member })?.column,
      let index = columns.names.firstIndex(of: column), let text = cells.text(index)
    else { return nil }
    switch column {
    case "source" where step == .trigger: return Self.host(text)
    case "source", "destination": return text.contains("://") ? text : "https://\(text)/"
    default: return text
    }
  }

  /// Whether a short column has the name of the member: `priority`.
  private func isShort(_ member: String, _ step: EventStep) -> Bool {
    EventColumns.short.contains { $0.column == member && $0.members[step] == member }
  }

  /// Returns the host of a URL, with its port, or the text of a host.
  private static func host(_ text: String) -> String {
    guard let mark = text.firstRange(of: "://") else { return text }
    return String(text[mark.upperBound...].prefix { $0 != "/" })
  }

  private func error(_ error: InputError?, _ step: EventStep) -> EventError {
    EventError(column: error?.path.first.map { column(of: $0, in: step) }, detail: error?.detail ?? "the event cannot be read")
  }

  /// Returns the name of the column that has a member.
  private func column(of member: String, in step: EventStep) -> String {
    if let index = columns.names.firstIndex(of: member), cells.text(index) != nil { return member }
    return EventColumns.short.first { $0.members[step] == member }?.column ?? member
  }
}
