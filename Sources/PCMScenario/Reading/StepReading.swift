import PCMCore
import PCMNetwork

/// Creates steps from nodes of the checked shape, and collects errors between steps.
struct StepReading {
  let browser: Scenario.Setup
  let readFile: ((String) throws -> [UInt8])?

  private(set) var steps: [Scenario.Step] = []
  private(set) var errors: [ScenarioError] = []
  private var latest = Interval(milliseconds: 0)
  private var ads = AdReading()
  private var shapes = ResponseShapes()
  /// The number of the current step, and the pointer to the value of its action.
  private var number = 0
  private var pointer = ""

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
    let performed = action(of: node, number: index + 1, pointer: pointer)
    if let expectation = node["expect"] {
      let call = performed?.effect.expectedCall ?? time.map { _ in .advancing }
      errors += expectation.unknownMembers(after: call, at: "\(pointer)/expect", &shapes)
    }
    let does = performed?.name ?? time.map { "at \($0.at.text)" } ?? "expect"
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

  private mutating func action(of step: SourceNode, number: Int, pointer: String) -> Scenario.Action? {
    for member in step.members {
      guard let format = ActionFormat.all.first(where: { $0.member.name == member.name }) else { continue }
      (self.number, self.pointer) = (number, "\(pointer)/\(member.name)")
      return format.effect(member, &self).map { effect in
        Scenario.Action(name: member.name, effect: effect, node: member.node, enclosing: format.enclosing)
      }
    }
    return nil
  }

  /// Adds an error in the current action.
  mutating func add(_ detail: String, at place: SourcePlace, _ member: String = "") {
    errors.append(ScenarioError(detail, at: place, pointer: pointer + member))
  }

  /// Returns the body of the call that displays an ad; nil after an error.
  ///
  /// - Parameters:
  ///   - app: The app that displays the ad, if the node does not name it.
  ///   - place: The index of the ad in the step.
  ///   - member: The pointer to the node in the value of the action.
  mutating func impression(_ node: SourceNode, in app: String? = nil, place: Int = 0, _ member: String = "") -> JSON? {
    let additions = ["framework", "eligibleForReengagement", "signedAs"]
    if node["signedBy"] == nil, let addition = node.members.first(where: { additions.contains($0.name) }) {
      add("expected signedBy with \(addition.name)", at: addition.namePlace, "\(member)/\(addition.name)")
    }
    let body = ads.impression(node, in: app, at: browser.start + latest, number: number, place: place)
    if body == nil { add("expected values that can be signed", at: node.place, member) }
    return body
  }

  /// Returns the body of the call that sends a feed.
  mutating func feed(_ node: SourceNode, in app: String?) -> JSON {
    var cards: [JSON] = []
    for (index, card) in (node["cards"]?.items ?? []).enumerated() {
      cards.append(card["ad"].map { self.card(card, displaying: $0, in: app, at: index) } ?? card.json)
    }
    return .object(node.json.members.map { $0.name == "cards" ? .init("cards", .array(cards)) : $0 })
  }

  /// Returns a card whose extras have the values of an ad, as texts.
  private mutating func card(_ card: SourceNode, displaying ad: SourceNode, in app: String?, at index: Int) -> JSON {
    let member = "/cards/\(index)/ad"
    let faults = ShapeCheck.errors(of: ad, as: AdFormat.adOfCard, at: pointer + member)
    errors += faults
    guard faults.isEmpty, let signed = impression(ad, in: app, place: index, member) else { return card.json }
    let values = signed.members.filter { $0.name != "bundleIdentifier" }.map {
      JSON.Member($0.name, .string($0.value.string ?? $0.value.text))
    }
    let name = card["extra"] == nil ? "extras" : "extra"
    let others = card.json.members.filter { ![name, "ad"].contains($0.name) }
    return .object(others + [.init(name, .object((card.json[name]?.members ?? []) + values))])
  }

  /// Creates an app, whose identifier the ads in later steps have.
  mutating func app(_ node: SourceNode, named identifier: String) -> Scenario.App {
    ads.note(node, identifier)
    return AdReading.app(node, identifier)
  }

  /// Returns the app of a step; nil after an error.
  mutating func app(_ node: SourceNode) -> Scenario.App? {
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
    add(detail, at: manifest.place, "/manifest")
    return nil
  }
}
