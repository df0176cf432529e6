import PCMBrowser
import PCMHTTP
package import PCMNetwork
import PCMStorePostgres

/// The settings of a service.
package struct ServiceSettings: Sendable {
  var host: String
  /// 0 lets the kernel choose.
  var port: Int
  /// The folder of the durable store; nil to keep its browsers in memory.
  var dataDirectory: String?
  /// The database of the durable browsers, in place of a folder.
  var database: PostgresAddress?
  var route: NetworkRoute
  /// The public suffix list to use instead of the built-in one.
  var publicSuffixList: String?
  /// The token that callers must send; nil when none is required.
  var apiToken: String?
  /// Host names of the service in addition to its address.
  var allowedHosts: [String]
  /// The maximum number of connections.
  var maxConnections: Int
  var capacity: Capacity
  /// Hosts other than loopback whose browsers may be observed.
  var devToolsHosts: [String]

  package init(
    host: String = "127.0.0.1", port: Int = 8726, dataDirectory: String?, route: NetworkRoute = NetworkRoute(),
    publicSuffixList: String? = nil, apiToken: String? = nil, allowedHosts: [String] = [],
    maxConnections: Int = 1_024, capacity: Capacity = Capacity(), devToolsHosts: [String] = []
  ) {
    self.host = host
    self.port = port
    self.dataDirectory = dataDirectory
    self.route = route
    self.publicSuffixList = publicSuffixList
    self.apiToken = apiToken
    self.allowedHosts = allowedHosts
    self.maxConnections = maxConnections
    self.capacity = capacity
    self.devToolsHosts = devToolsHosts
  }
}

/// The limits of a service's data.
package struct Capacity: Hashable, Sendable {
  /// The maximum number of browsers.
  var browsers = Browsers.standardMaximumCount
  /// The maximum size of the database in bytes.
  var disk = 16 << 30

  package init() {}
}

extension ServiceSettings {
  /// The names of loopback.
  static let loopback = ["127.0.0.1", "::1", "localhost"]

  static func isLoopback(_ host: String) -> Bool { Authority(argument: host)?.isLoopback ?? false }

  /// All host names of the service.
  var hosts: [String] { (Self.isLoopback(host) ? Self.loopback : []) + [host] + allowedHosts }
}
