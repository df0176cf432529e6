package import PCMSimulatedSites

/// The behavior of one simulated site in YAML or JSON: an entry of a scenario's `sites`.
package enum SiteDocument {
  /// Returns the behavior, or throws the errors with their places.
  package static func read(_ text: [UInt8], as format: SourceFormat) throws(ScenarioErrors) -> SiteBehavior {
    let node = try SourceNode.read(SourceText(text, as: format))
    let errors = ShapeCheck.errors(of: node, as: SiteFormat.site)
    guard errors.isEmpty else { throw ScenarioErrors(errors) }
    return SiteBehavior(checked: node.json)
  }

  /// The format of a host.
  package static let host = TextFormat.host
}
