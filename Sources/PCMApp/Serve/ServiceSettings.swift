package import PCMDelivery

/// Everything that a service is made of, decided before anything runs.
package struct ServiceSettings: Sendable {
  var host: String
  /// 0 lets the kernel choose.
  var port: Int
  /// The folder of the durable store.
  var dataDirectory: String
  var route: NetworkRoute
  /// A list to use instead of the one that the service is built with.
  var publicSuffixList: String?
  /// What callers must show; nil asks for nothing.
  var apiToken: String?
  /// Names besides its address by which the service may be called.
  var allowedHosts: [String]
  /// Connections that are served at a time.
  var maxConnections: Int
  /// The folder in which sessions are written down as scenarios; nil for none.
  var recordingDirectory: String?

  package init(
    host: String = "127.0.0.1", port: Int = 8726, dataDirectory: String, route: NetworkRoute = NetworkRoute(),
    publicSuffixList: String? = nil, apiToken: String? = nil, allowedHosts: [String] = [],
    maxConnections: Int = 1_024, recordingDirectory: String? = nil
  ) {
    self.host = host
    self.port = port
    self.dataDirectory = dataDirectory
    self.route = route
    self.publicSuffixList = publicSuffixList
    self.apiToken = apiToken
    self.allowedHosts = allowedHosts
    self.maxConnections = maxConnections
    self.recordingDirectory = recordingDirectory
  }
}

extension ServiceSettings {
  /// The names of loopback.
  static let loopback = ["127.0.0.1", "::1", "localhost"]

  var isOnLoopback: Bool { Self.loopback.contains(host) }

  /// The names by which the service may be called.
  var hosts: [String] { (isOnLoopback ? Self.loopback : [host]) + allowedHosts }
}
