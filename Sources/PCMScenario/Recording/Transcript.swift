package import PCMCore

/// An accepted call of a recording, with the data for a scenario's step.
package struct RecordedCall: Sendable {
  /// The step's member and its value; or `site` with `host` and `behavior`, which is null for a removed site; or `network` with
  /// `mode` and, for simulated sites, `sites`.
  package let action: JSON.Member
  /// The response to the call; null when it has no content to expect.
  package let response: JSON
  /// The events of the call, oldest first; nil to expect none in particular.
  package var events: [EventKind]?

  package init(action: JSON.Member, response: JSON, events: [EventKind]?) {
    (self.action, self.response, self.events) = (action, response, events)
  }

  /// Returns the step's member for a call of a browser's journal.
  package static func step(_ call: JSON.Member) -> JSON.Member {
    switch call.name {
    case "ad-network":
      // A registration without a key is a removal in the journal.
      guard call.value["publicKey"] == nil, let identifier = call.value["adNetworkIdentifier"] else {
        return .init(call.name, call.value.withoutUserInformation)
      }
      return .init("remove-ad-network", identifier)
    case "impression-tap": return .init(call.name, call.value.withoutUserInformation)
    default: return call
    }
  }

  /// Returns the line of a scenario that makes a call of a browser's journal.
  package static func line(_ call: JSON.Member) -> String { Transcript.line(.object([step(call)])) }
}

/// The calls to a browser as a scenario file. Each step is a line of JSON, which is also YAML. With simulated sites, it replays to
/// the same event log. It does not contain the responses of a real network.
package struct Transcript: Sendable {
  /// The file up to its first step.
  private let head: String
  private let members: [JSON.Member]
  /// The remaining number of steps and bytes.
  private var (steps, bytes) = (ScenarioFormat.stepLimit, SourceText.sizeLimit)
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
      + "# The responses of a real network are not in it: the sites of a scenario are simulated, and answer with 200.\n"
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
        of: calls.map { call in
          var call = call
          call.events = nil
          return call
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
    steps.map { "  \(line($0))\n" }.joined()
  }

  fileprivate static func line(_ step: JSON) -> String { "- \(writing.text(step))" }

  private static func check(_ file: String) throws(TranscriptEnd) {
    do throws(ScenarioErrors) {
      _ = try ScenarioReader(readFile: { _ in [] }).read(Array(file.utf8))
    } catch {
      throw .unreadable(error.errors.first?.detail ?? "")
    }
  }

  /// Returns the steps of a call, within the limits of a file.
  private mutating func addSteps(of call: RecordedCall) throws(TranscriptEnd) -> [JSON] {
    let added =
      switch call.action.name {
      case "site": put(call.action.value["behavior"] ?? .null, at: call.action.value["host"]?.string ?? "")
      case "network": replaceSites(with: call.action.value["sites"]?.members ?? [])
      default: [.object([call.action, .init("expect", expectation(of: call))])] as [JSON]
      }
    (steps, bytes) = (steps - added.count, bytes - Self.lines(of: added).utf8.count)
    guard steps >= 0, bytes >= 0 else { throw .full }
    return added
  }

  private static func step(_ sites: [JSON.Member]) -> JSON { ["sites": .object(sites)] }

  /// Replaces the behavior of a site. A step keeps unspecified members, so another step removes them first.
  private mutating func put(_ behavior: JSON, at host: String) -> [JSON] {
    let removal = hosts.remove(host).map { [Self.step([.init($0, .null)])] } ?? []
    guard behavior != .null else { return removal }
    hosts.insert(host)
    return removal + [Self.step([.init(host, behavior)])]
  }

  /// Replaces the behavior of all sites.
  private mutating func replaceSites(with sites: [JSON.Member]) -> [JSON] {
    let removed = hosts.sorted().map { JSON.Member($0, .null) }
    hosts = Set(sites.map(\.name))
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
}

/// Why calls have no scenario.
package enum TranscriptEnd: Error, Hashable {
  case full
  /// A scenario cannot represent the call.
  case unreadable(_ error: String)
}

extension EventKind {
  /// Whether expectations of `events` list the kind. Events that repeat the action of a step are excluded, and events of a real
  /// clock.
  var isExpected: Bool {
    ![.clockAdvanced, .clockSetBack, .settingsChanged, .appRegistered, .deviceChanged, .adNetworkRegistered].contains(self)
  }
}
