import Foundation
import PCMBrowser
import PCMCore
import PCMURL

/// The actions of records. Records with the same cells have the same action, whose URLs are read once.
struct EventActions {
  private let sites: SiteParser
  private var known: [UInt64: (cells: [UInt8], action: SimulatedAction)] = [:]
  private var key: [UInt8] = []
  /// Links by all cells but their identifiers. A link with another identifier has the same URLs.
  private var links: [[UInt8]: SimulatedAction] = [:]

  /// The maximum number of actions in memory.
  private static let capacity = 65_536

  init(sites: SiteParser) { self.sites = sites }

  /// Returns the action of a record.
  mutating func action(_ cells: EventCells, _ columns: EventColumns) throws(EventError) -> SimulatedAction {
    let areFirst = columns.user + columns.time == 1
    if areFirst, let found = cells.withKey({ known(Self.quickHash($0), $0) }) ?? nil { return found }
    setKey(cells, columns, areFirst: areFirst)
    let hash = key.withUnsafeBufferPointer(Self.quickHash)
    if !areFirst, let found = key.withUnsafeBufferPointer({ known(hash, $0) }) { return found }
    let action =
      if let link = try link(cells, columns) { link } else {
        try EventReading(cells: cells, columns: columns, sites: sites).action()
      }
    if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
    known[hash] = (key, action)
    return action
  }

  private func known(_ hash: UInt64, _ key: UnsafeBufferPointer<UInt8>) -> SimulatedAction? {
    guard let found = known[hash], found.cells.count == key.count, let start = key.baseAddress,
      found.cells.withUnsafeBytes({ cells in cells.baseAddress.map { memcmp($0, start, cells.count) == 0 } ?? false })
    else { return nil }
    return found.action
  }

  /// Returns the action of a link that differs from a known link only in its identifier, and keeps a link that is not known. Returns nil
  /// for another step.
  private mutating func link(_ cells: EventCells, _ columns: EventColumns) throws(EventError) -> SimulatedAction? {
    guard let kind = cells.text(columns.kind), EventStep(name: kind) == .link, !columns.names.contains("attributionSourceID"),
      let index = columns.names.firstIndex(of: "source_id"), let identifier = cells.text(index),
      identifier.utf8.count <= 3, identifier.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    var shared: [UInt8] = []
    for other in cells.indices where ![columns.user, columns.time, index].contains(other) {
      shared.append(contentsOf: cells[other])
      shared.append(EventCells.separator)
    }
    if let link = links[shared] { return link.link(withSourceID: identifier) }
    let action = try EventReading(cells: cells, columns: columns, sites: sites).action()
    if links.count >= Self.capacity { links.removeAll(keepingCapacity: true) }
    links[shared] = action
    return action
  }

  private mutating func setKey(_ cells: EventCells, _ columns: EventColumns, areFirst: Bool) {
    key.removeAll(keepingCapacity: true)
    if areFirst, cells.withKey({ key.append(contentsOf: $0) }) != nil { return }
    for index in cells.indices where index != columns.user && index != columns.time {
      key.append(contentsOf: cells[index])
      key.append(EventCells.separator)
    }
  }

  /// A hash of eight bytes at a time, for the memory of one run.
  private static func quickHash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let bytes = UnsafeRawBufferPointer(bytes)
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

  /// FNV-1a.
  static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    SplitMix64.mix(bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 })
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
