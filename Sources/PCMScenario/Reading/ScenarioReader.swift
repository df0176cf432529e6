import PCMCore

/// Reads untrusted scenario files and reports each error with its place.
package struct ScenarioReader {
  /// The maximum size of a scenario in bytes.
  package static let sizeLimit = SourceText.sizeLimit

  private let readFile: ((String) throws -> [UInt8])?

  /// - Parameter readFile: Reads the file at the path in an app's `manifest`, relative to the scenario; nil when scenarios
  ///   do not come from files.
  package init(readFile: ((String) throws -> [UInt8])? = nil) {
    self.readFile = readFile
  }

  package func read(_ file: [UInt8], as format: SourceFormat = .yaml) throws(ScenarioErrors) -> Scenario {
    try scenario(SourceNode.read(SourceText(file, as: format)))
  }

  private func scenario(_ root: SourceNode) throws(ScenarioErrors) -> Scenario {
    let errors = ShapeCheck.errors(of: root, as: ScenarioFormat.file)
    guard errors.isEmpty, let name = root["scenario"]?.text else { throw ScenarioErrors(errors) }
    let setup = Self.setup(root["browser"], device: root["device"], name: name)
    var steps = StepReading(browser: setup, readFile: readFile)
    let apps = (root["apps"]?.members ?? []).map { steps.app($0.node, named: $0.name) }
    for (index, node) in (root["steps"]?.items ?? []).enumerated() { steps.read(node, index: index) }
    guard steps.errors.isEmpty else { throw ScenarioErrors(steps.errors) }
    return Scenario(
      name: name, rule: root["rule"]?.text, browser: setup,
      apps: apps,
      adNetworks: (root["ad-networks"]?.members ?? []).map { AdReading.network($0.node, $0.name, at: $0.namePlace) },
      sites: root["sites"].map(SiteReading.sites) ?? [:], steps: steps.steps, source: root)
  }

  private static func setup(_ node: SourceNode?, device: SourceNode?, name: String) -> Scenario.Setup {
    Scenario.Setup(
      seed: node?["seed"]?.text ?? name,
      isDurable: node?["storage"]?.text == "durable",
      start: Instant(text: node?["start"]?.text ?? Scenario.Setup.defaultStart) ?? .earliest,
      settings: node?["settings"]?.json ?? [:], device: device?.json ?? [:])
  }
}

extension SourceNode {
  package var text: String? {
    guard case .text(let text) = value else { return nil }
    return text
  }

  package var items: [SourceNode] {
    guard case .list(let items) = value else { return [] }
    return items
  }

  package var members: [SourceMember] {
    guard case .object(let members) = value else { return [] }
    return members
  }
}

extension ScenarioReader {
  /// Whether a file is valid YAML, whether it is a scenario or not.
  package static func isReadable(_ file: [UInt8]) -> Bool {
    guard let source = try? SourceText(file) else { return false }
    return (try? SourceNode.read(source)) != nil
  }
}
