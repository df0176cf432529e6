import PCMCore

/// A call for which the API returned an error, in terms of the scenario file: the place and name of each invalid value, and
/// the remedy.
struct FailedCall {
  let error: PlayedBrowser.CallError
  /// The value that the call's body was created from; nil when the file has none.
  var node: SourceNode?
  /// The members of the body that enclose the value.
  var prefix: [String] = []
  /// The place of the call in the file when there is no value.
  var place: SourcePlace
  /// A JSON pointer into the file.
  var pointer: String

  /// The mismatches, one for each error in the API's order, or one for the whole call without errors.
  var mismatches: [ScenarioResult.Mismatch] {
    let errors = error.response.json["errors"]?.items ?? []
    guard !errors.isEmpty, node != nil || errors.contains(where: { $0["code"]?.string == "app-unknown" }) else {
      return [mismatch(error.response.json["detail"]?.string ?? "no details", place: node?.place ?? place, pointer)]
    }
    return errors.map { error in
      let (found, path) = value(at: error["pointer"]?.string ?? "")
      let words = path.joined(separator: ".")
      return mismatch(
        (words.isEmpty ? "" : words + ": ") + detail(of: error, value: found), place: found?.place ?? place,
        pointer + JSONPointer.text(path))
    }
  }

  private func mismatch(_ detail: String, place: SourcePlace, _ pointer: String) -> ScenarioResult.Mismatch {
    ScenarioResult.Mismatch(
      place: place, pointer: pointer, expected: "an accepted call",
      actual: ["status": .number(Int64(error.response.status)), "detail": .string(detail)],
      detail: "expected the call to be accepted, but it returned \(error.response.status): \(detail)")
  }

  /// The detail of an error, with a remedy for scenario files instead of API calls.
  private func detail(of error: JSON, value: SourceNode?) -> String {
    guard error["code"]?.string == "app-unknown" else { return error["detail"]?.string ?? "no details" }
    let app = value?.text.map { " " + $0.quoted } ?? ""
    return "no app\(app) is registered; add it under `apps:`, or register it in an earlier step with `app:`"
  }

  /// Returns the value in the file for a pointer into the body, and the path of the existing members and items.
  private func value(at pointer: String) -> (SourceNode?, [String]) {
    var names = (JSONPointer.names(of: pointer) ?? [])[...]
    if names.starts(with: prefix) { names = names.dropFirst(prefix.count) }
    var (found, path) = (node, [String]())
    for name in names {
      guard let next = found?.value(at: name) else { break }
      found = next
      path.append(name)
    }
    return (found, path)
  }
}

extension FailedCall {
  /// Creates the error of a step's call.
  init(_ error: PlayedBrowser.CallError, of step: Scenario.Step) {
    self.init(error: error, place: step.place, pointer: "/steps/\(step.number - 1)")
    guard let action = step.action, let enclosing = action.enclosing else { return }
    (node, prefix) = (action.node, enclosing)
    pointer += "/\(action.name)"
  }

  /// Creates the error of the call that creates the scenario's browser.
  init(_ error: PlayedBrowser.CallError, creating scenario: Scenario) {
    if let device = scenario.source?["device"], scenario.source?["browser"] == nil {
      self.init(error: error, node: device, prefix: ["device"], place: device.place, pointer: "/device")
      return
    }
    let browser = scenario.source?["browser"]
    self.init(
      error: error, place: browser?.place ?? SourcePlace(line: 1, column: 1),
      pointer: "/browser" + (browser?["settings"] == nil ? "" : "/settings"))
    (node, prefix) = (browser?["settings"], ["settings"])
  }

  /// Creates the error of the call that registers an ad network of the scenario.
  init(_ error: PlayedBrowser.CallError, registering network: Scenario.AdNetwork, of scenario: Scenario) {
    self.init(
      error: error, place: network.place, pointer: "/ad-networks/" + JSONPointer.escaped(network.identifier))
  }

  /// Creates the error of the call that registers an app of the scenario.
  init(_ error: PlayedBrowser.CallError, registering app: Scenario.App, of scenario: Scenario) {
    self.init(error: error, place: SourcePlace(line: 1, column: 1), pointer: "/apps")
    guard case .registration(let identifier, _) = app else { return }
    let member = scenario.source?["apps"]?.members.first { $0.name == identifier }
    place = member?.namePlace ?? place
    pointer += "/" + JSONPointer.escaped(identifier)
  }
}
