import PCMBrowser
import PCMCore
import PCMScenario
import PCMURL

/// The reading of a record as a step.
struct EventReading {
  let cells: EventCells
  let columns: EventColumns
  let device: SimulationDevice

  private var sites: SiteParser { device.sites }

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
      case .impression, .impressionEnd, .impressionTap, .install, .launch, .conversionValue: return try deviceAction(step)
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

  /// - Parameter more: The values of members without a cell.
  func input<Input: JSONBody>(_: Input.Type, _ step: EventStep, more: [String: String] = [:]) throws -> Input {
    let members = Input.definition.description.members.compactMap { member -> JSON.Member? in
      guard let known = step.members.first(where: { $0.name == member.name }),
        let text = value(member.name, of: step) ?? more[member.name]
      else { return nil }
      return JSON.Member(member.name, Self.json(text, known.kind))
    }
    return try Input(json: JSON.object(members).bytes)
  }

  /// A value that is not of the kind stays text, which the input rejects. Frames with absent values write the integer 3 as `3.0`.
  private static func json(_ text: String, _ kind: ValueDescription.Kind) -> JSON {
    switch kind {
    case .integer: Int64(text.hasSuffix(".0") ? text.dropLast(2) : text[...]).map { .number($0) } ?? .string(text)
    case .flag: text == "true" ? .bool(true) : text == "false" ? .bool(false) : .string(text)
    case .list: .array(text.split(separator: " ").map { .string(String($0)) })
    default: .string(text)
    }
  }

  /// Returns the value of a member, from its column or from its short column; nil if it is absent.
  func value(_ member: String, of step: EventStep) -> String? {
    if let index = columns.names.firstIndex(of: member), let text = cells.text(index), !isShort(member, step) { return text }
    guard let column = EventColumns.short.first(where: { $0.members[step] == member })?.column,
      let index = columns.names.firstIndex(of: column), let text = cells.text(index)
    else { return nil }
    switch column {
    case "source" where step == .trigger: return Self.host(text)
    case "destination" where step == .impression: return (device.items[text] ?? Self.storeNumber(text)).map(String.init) ?? text
    case "destination" where step.isOfDevice: return Self.storeNumber(text).flatMap(device.app(ofItem:)) ?? text
    case _ where step.isOfDevice: return text
    case "source", "destination": return text.contains("://") ? text : "https://\(text)/"
    default: return text
    }
  }

  /// Returns the number of an app in the App Store, which exports also write as `id525463029`; nil for another text.
  private static func storeNumber(_ text: String) -> Int64? { Int64(text.hasPrefix("id") ? text.dropFirst(2) : text[...]) }

  /// Whether a short column has the name of the member: `priority`.
  private func isShort(_ member: String, _ step: EventStep) -> Bool {
    EventColumns.short.contains { $0.column == member && $0.members[step] == member }
  }

  /// Returns the host of a URL, with its port, or the text of a host.
  private static func host(_ text: String) -> String {
    guard let mark = text.firstRange(of: "://") else { return text }
    return String(text[mark.upperBound...].prefix { $0 != "/" })
  }

  func error(_ error: InputError?, _ step: EventStep) -> EventError {
    let detail = error?.detail ?? "the event cannot be read"
    guard let member = error?.path.first else { return EventError(column: nil, detail: detail) }
    let found = value(member, of: step).map { detail.contains($0) ? "" : ", found \($0.quoted)" } ?? ""
    return EventError(column: column(of: member, in: step), detail: detail + found)
  }

  /// Returns the name of the column that has a member.
  func column(of member: String, in step: EventStep) -> String {
    if let index = columns.names.firstIndex(of: member), cells.text(index) != nil { return member }
    return EventColumns.short.first { $0.members[step] == member }?.column ?? member
  }
}
