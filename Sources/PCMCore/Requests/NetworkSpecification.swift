/// The network that responds to a browser's requests.
package enum NetworkMode: String, Hashable, Sendable, CaseIterable {
  /// Connections to real hosts.
  case real
  /// Simulated sites in the process. No connection is opened, and no name is looked up.
  case simulated
}

/// The body of `PUT …/network`.
package struct NetworkSpecification: JSONBody {
  package var mode = NetworkMode.real

  package static let definition = BodyDefinition<Self>(
    "The network that responds to a browser's requests.",
    [
      .required(
        "mode", \.mode, .choice(NetworkMode.self, component: "NetworkMode"),
        "With `simulated`, the browser's simulated sites respond, and no connection leaves the process")
    ])

  package init() {}
}
