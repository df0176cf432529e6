import PCMCore
import PCMSimulation

/// Creates steps from nodes of the checked shape, and collects errors between steps.
struct StepReading {
  let browser: Scenario.Setup
  let readFile: ((String) throws -> [UInt8])?

  private(set) var steps: [Scenario.Step] = []
  private(set) var errors: [ScenarioError] = []
  private var latest = Interval(milliseconds: 0)
  private var ads = AdReading()
  private var shapes = ResponseShapes()

  init(browser: Scenario.Setup, readFile: ((String) throws -> [UInt8])?) {
    self.browser = browser
    self.readFile = readFile
  }

  mutating func read(_ node: SourceNode, index: Int) {
    let pointer = "/steps/\(index)"
    let time = node["at"].flatMap { at in at.text.flatMap(Interval.init(text:)).map { (place: at.place, at: $0) } }
    if let time {
      if let violation = violation(of: time.at) {
        errors.append(ScenarioError(violation, at: time.place, pointer: "\(pointer)/at", code: .outOfRange))
      }
      latest = max(latest, time.at)
    }
    let member = node.members.first { ScenarioFormat.actions.contains($0.name) }
    let performed = member.flatMap { action($0, number: index + 1, pointer: "\(pointer)/\($0.name)") }
    if let expectation = node["expect"] {
      let call = performed.flatMap { ScenarioStage.Call(expecting: $0) } ?? time.map { _ in .advancing }
      errors += expectation.unknownMembers(after: call, at: "\(pointer)/expect", &shapes)
    }
    let does = member?.name ?? time.map { "at \($0.at.text)" } ?? "expect"
    steps.append(
      Scenario.Step(
        number: index + 1, name: node["name"]?.text ?? "step \(index + 1): \(does)", place: node.place, at: time?.at,
        action: performed, expectation: node["expect"]))
  }

  private func violation(of time: Interval) -> String? {
    if time < latest { return "expected a time not before the \(latest.text) of an earlier step, found \(time.text)" }
    guard browser.start + time > .latestOfClock else { return nil }
    return "expected a time of the clock not after \(Instant.latestOfClock.text), found \(time.text)"
  }

  private mutating func action(_ member: SourceMember, number: Int, pointer: String) -> Scenario.Action? {
    let node = member.node
    if let followUp = Scenario.FollowUp(rawValue: member.name) { return .followUp(followUp, AdReading.displayedAd(node), node) }
    if let play = Scenario.Play(rawValue: member.name) { return .play(play, node) }
    switch member.name {
    case "advance": return .advance(node)
    case "settings": return .settings(node)
    case "app": return app(node, pointer: pointer).map { .register($0) }
    case "remove-app": return node.text.map { .removeApp($0) }
    case "device": return .device(node)
    case "ad-network":
      let identifier = node["adNetworkIdentifier"]?.text ?? TestAdNetwork.identifier
      return .registerNetwork(AdReading.network(node, identifier, at: node.place))
    case "remove-ad-network": return node.text.map { .removeNetwork($0) }
    case "impression": return impression(node, number: number, pointer: pointer)
    case "sites": return .sites(SiteReading.changes(node))
    case "clear": return .clear(site: node["site"]?.text)
    case "restart":
      if !browser.isDurable {
        errors.append(
          ScenarioError(
            "expected browser.storage to be durable; data in memory is lost in a restart",
            at: member.namePlace, pointer: pointer))
      }
      return .restart
    default: return nil
    }
  }

  private mutating func impression(_ node: SourceNode, number: Int, pointer: String) -> Scenario.Action? {
    let additions = ["framework", "eligibleForReengagement", "signedAs"]
    if node["signedBy"] == nil, let member = node.members.first(where: { additions.contains($0.name) }) {
      errors.append(
        ScenarioError("expected signedBy with \(member.name)", at: member.namePlace, pointer: "\(pointer)/\(member.name)"))
    }
    guard let body = ads.impression(node, at: browser.start + latest, number: number) else {
      errors.append(ScenarioError("expected values that can be signed", at: node.place, pointer: pointer))
      return nil
    }
    return .impression(body, node)
  }

  /// Creates an app, whose identifier the ads in later steps have.
  mutating func app(_ node: SourceNode, named identifier: String) -> Scenario.App {
    ads.note(node, identifier)
    return AdReading.app(node, identifier)
  }

  private mutating func app(_ node: SourceNode, pointer: String) -> Scenario.App? {
    let identifier = node["bundleIdentifier"]?.text
    if let plist = node["plist"]?.text { return .plist(Array(plist.utf8), bundleIdentifier: identifier) }
    guard let manifest = node["manifest"] else { return identifier.map { app(node, named: $0) } }
    guard let path = manifest.text else { return nil }
    let detail: String
    if let readFile {
      do {
        return .plist(try readFile(path), bundleIdentifier: identifier)
      } catch {
        detail = "expected a readable file, found \(path.quoted): \(error)"
      }
    } else {
      detail = "expected no files here; use plist with the text of the manifest"
    }
    errors.append(ScenarioError(detail, at: manifest.place, pointer: "\(pointer)/manifest"))
    return nil
  }
}
