package import PCMCore
import PCMNetwork

/// The calls to a browser as a scenario file that replays to the same event log. Each step is a line of JSON, which is also
/// YAML.
package struct Transcript: Sendable {
  /// The file up to its first step.
  private let head: String
  private let members: [JSON.Member]
  /// The remaining number of steps and bytes.
  private var (steps, bytes) = (ScenarioFormat.stepLimit, SourceText.sizeLimit)
  /// The behavior of sites that the file contains so far.
  private var written: [String: Behavior] = [:]
  /// The responses by the name of their list.
  private typealias Behavior = [String: [SiteBehavior.Response]]
  /// The last key of each site, and its name in the file.
  private var keys: [String: (wire: String, name: SiteBehavior.Key)] = [:]
  /// The sites with a behavior in the file.
  private var hosts: Set<String> = []

  /// - Parameter start: The time of the browser's clock when it was created.
  package init(name: String, seed: String, isDurable: Bool, start: Instant, settings: JSON) {
    let browser: JSON = [
      "seed": .string(seed), "storage": .string(isDurable ? "durable" : "ephemeral"), "start": .string(start.text),
      "settings": settings,
    ]
    members = [.init("scenario", .string(Self.title(name))), .init("rule", "recorded"), .init("browser", browser)]
    head =
      "# A recording. `pcm-browser run` plays it; Fixtures/scenarios/README.md of pcm-browser describes the format.\n"
      + members.map { "\($0.name): \(Self.writing.text($0.value))\n" }.joined() + "steps:\n"
    bytes -= head.utf8.count
  }

  /// Returns the scenario's name. It ends at the limit, which a browser's name alone can reach.
  private static func title(_ name: String) -> String {
    var title = String.UnicodeScalarView("recording of \(name)".unicodeScalars)
    while String(title).utf8.count > TextFormat.nameLimit { title.removeLast() }
    return String(title)
  }

  private static let writing = SourceWriting(isJSON: true)
  /// The maximum number of steps of a file.
  package static var stepLimit: Int { ScenarioFormat.stepLimit }
  /// The maximum number of bytes of a file.
  package static var sizeLimit: Int { SourceText.sizeLimit }

  /// Returns a whole file, as YAML or as JSON. Where the events of the calls exceed its size, they are not expected.
  ///
  /// - Throws: ``TranscriptEnd`` when the calls exceed the limits of a file, or a scenario cannot express them.
  package func file(of calls: [RecordedCall], isJSON: Bool) throws(TranscriptEnd) -> String {
    var transcript = self
    let steps: [JSON]
    do throws(TranscriptEnd) {
      steps = try transcript.steps(of: calls)
    } catch .full {
      transcript = self
      steps = try transcript.steps(
        of: calls.map {
          RecordedCall(action: $0.action, response: $0.response, events: nil, exchanges: $0.exchanges)
        })
    }
    let yaml = head + Self.lines(of: steps)
    try Self.check(yaml)
    return isJSON ? JSON.object(members + [.init("steps", .array(steps))]).text + "\n" : yaml
  }

  /// A file has at least one step.
  private mutating func steps(of calls: [RecordedCall]) throws(TranscriptEnd) -> [JSON] {
    var steps: [JSON] = []
    for call in calls { steps += try addSteps(of: call) }
    return steps.isEmpty ? [["expect": ["events": []]]] : steps
  }

  private static func lines(of steps: [JSON]) -> String {
    steps.map { "  - \(writing.text($0))\n" }.joined()
  }

  private static func check(_ file: String) throws(TranscriptEnd) {
    do throws(ScenarioErrors) {
      _ = try ScenarioReader(readFile: { _ in [] }).read(Array(file.utf8))
    } catch {
      throw .unreadable(error.errors.first?.detail ?? "")
    }
  }

  /// Returns the steps of a call, within the limits of a file.
  private mutating func addSteps(of call: RecordedCall) throws(TranscriptEnd) -> [JSON] {
    var added = changes(in: call.exchanges).map { [Self.step($0)] } ?? []
    switch call.action.name {
    case "site": added += put(call.action.value["behavior"] ?? .null, at: call.action.value["host"]?.string ?? "")
    case "network": added += replaceSites(with: call.action.value["sites"]?.members ?? [])
    default: added.append(.object([call.action, .init("expect", expectation(of: call))]))
    }
    (steps, bytes) = (steps - added.count, bytes - Self.lines(of: added).utf8.count)
    guard steps >= 0, bytes >= 0 else { throw .full }
    return added
  }

  private static func step(_ sites: [JSON.Member]) -> JSON { ["sites": .object(sites)] }

  /// Replaces the behavior of a site. A step keeps what it does not specify, so another step removes it first.
  private mutating func put(_ behavior: JSON, at host: String) -> [JSON] {
    let removal = hosts.remove(host).map { [Self.step([.init($0, .null)])] } ?? []
    guard behavior != .null else { return removal }
    hosts.insert(host)
    return removal + [Self.step([.init(host, behavior)])]
  }

  /// Replaces the behavior of all sites.
  private mutating func replaceSites(with sites: [JSON.Member]) -> [JSON] {
    let removed = hosts.sorted().map { JSON.Member($0, .null) }
    (hosts, written, keys) = (Set(sites.map(\.name)), [:], [:])
    return [removed, sites].filter { !$0.isEmpty }.map(Self.step)
  }

  private func expectation(of call: RecordedCall) -> JSON {
    var members: [JSON.Member] = []
    if let outcome = call.response.members.first(where: { $0.name == "outcome" }) { members.append(outcome) }
    if case .array(let reasons)? = call.response.members.first(where: { $0.name == "reasons" })?.value {
      let codes = reasons.compactMap { reason in reason.members.first { $0.name == "code" }?.value }
      members.append(.init("reasons", .array(codes)))
    }
    if let events = call.events {
      members.append(.init("events", .array(events.filter(\.isExpected).map { .string($0.rawValue) })))
    }
    return .object(members)
  }

  /// Returns the behavior of sites that differs from the file so far; nil when there is none.
  private mutating func changes(in exchanges: [RecordedExchange]) -> [JSON.Member]? {
    var seen: [String: Behavior] = [:]
    for exchange in exchanges { seen[exchange.host, default: [:]][exchange.list, default: []].append(exchange.response) }
    var members: [JSON.Member] = []
    for (host, lists) in seen.sorted(by: { $0.key < $1.key }) {
      let new = lists.filter { list, responses in !isWritten(responses, in: list, at: host) }
      written[host, default: [:]].merge(new) { $1 }
      var site = Self.members(of: new)
      if let key = newKey(in: exchanges, of: host) { site.insert(.init("key", .string(key.rawValue)), at: 0) }
      if !site.isEmpty { members.append(.init(host, .object(site))) }
    }
    hosts.formUnion(members.map(\.name))
    return members.isEmpty ? nil : members
  }

  /// Whether the responses match the behavior in the file. Lists are consumed, so only a single response continues.
  private func isWritten(_ responses: [SiteBehavior.Response], in list: String, at host: String) -> Bool {
    var standard = SiteBehavior.Response.good
    if Self.isPage(list) { standard.status = 404 }
    let current = written[host]?[list] ?? [standard]
    return current.count == 1 && responses.allSatisfy { $0 == current.first }
  }

  /// Returns the file's name for a changed key; nil when the key is unchanged.
  private mutating func newKey(in exchanges: [RecordedExchange], of host: String) -> SiteBehavior.Key? {
    guard let wire = exchanges.last(where: { $0.host == host && $0.keyWire != nil })?.keyWire else { return nil }
    if let name = SimulatedSiteKeys.name(ofWire: wire) {
      defer { keys[host] = (wire, name) }
      return name == keys[host]?.name ?? .first ? nil : name
    }
    guard let known = keys[host] else {
      keys[host] = (wire, .first)
      return nil
    }
    guard known.wire != wire else { return nil }
    let name = known.name == .first ? SiteBehavior.Key.second : .first
    keys[host] = (wire, name)
    return name
  }

  private static func members(of behavior: Behavior) -> [JSON.Member] {
    let members = behavior.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .array($0.value.map(\.json))) }
    let loads = members.filter { isPage($0.name) }
    return members.filter { !isPage($0.name) } + (loads.isEmpty ? [] : [.init("loads", .object(loads))])
  }

  /// Whether a list belongs to a page and not to a kind of requests.
  private static func isPage(_ list: String) -> Bool { RequestTarget.Kind(rawValue: list) == nil }
}

/// Why calls have no scenario.
package enum TranscriptEnd: Error, Hashable {
  case full
  /// A scenario cannot represent the call or the responses of sites.
  case unreadable(_ error: String)
}

extension EventKind {
  /// Whether expectations of `events` list the kind. Events that repeat the action of a step are excluded, and events of a real
  /// clock.
  var isExpected: Bool {
    ![.clockAdvanced, .clockSetBack, .settingsChanged, .appRegistered, .deviceChanged, .adNetworkRegistered].contains(self)
  }
}
