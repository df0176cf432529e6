import PCMBrowser
import PCMCore
import PCMURL

/// The actions of records. Records with the same cells have the same action, whose URLs are read once.
struct EventActions {
  private let sites: SiteParser
  private var known: [UInt64: (cells: [UInt8], action: SimulatedAction)] = [:]
  private var key: [UInt8] = []

  /// The maximum number of actions in memory.
  private static let capacity = 65_536
  /// Separates the cells of a key. No valid URL or number contains it.
  private static let separator: UInt8 = 0x1F

  init(sites: SiteParser) { self.sites = sites }

  /// Returns the action of a record.
  mutating func action(_ cells: EventCells, _ columns: EventColumns) throws(EventError) -> SimulatedAction {
    key.removeAll(keepingCapacity: true)
    for index in cells.indices where index != columns.user && index != columns.time {
      key.append(contentsOf: cells[index])
      key.append(Self.separator)
    }
    let hash = Self.hash(key)
    if let found = known[hash], found.cells == key { return found.action }
    let action = try EventReading(cells: cells, columns: columns, sites: sites).action()
    if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
    known[hash] = (key, action)
    return action
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
