import PCMCore
import PCMDelivery

/// Everything that a service is made of, decided before anything runs.
struct ServiceSettings: Sendable {
  var host = "127.0.0.1"
  /// 0 lets the kernel choose.
  var port = 8726
  /// The folder of the durable store.
  var dataDirectory: String
  var route = NetworkRoute()
  /// A list to use instead of the one that the service is built with.
  var publicSuffixList: String?
}

/// Why the service cannot start, in a sentence that says what to do.
struct StartFailure: Error, CustomStringConvertible {
  let description: String
}
