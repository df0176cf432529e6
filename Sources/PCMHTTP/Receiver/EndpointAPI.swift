package import Hummingbird
package import PCMCore
package import PCMReceiver
package import PCMTokens

/// The reference report endpoint's HTTP surface: what browsers call, and what whoever runs the tests calls.
package struct EndpointAPI: Sendable {
  /// What the endpoint needs of the machine.
  package struct Machine: Sendable {
    let sleep: @Sendable (Interval) async throws -> Void
    let mintNonce: @Sendable () -> String
    let generateKey: @Sendable () throws -> TokenPrivateKey
    let saveKeys: @Sendable (_ host: String?, KeySeries) throws -> Void

    /// - Parameters:
    ///   - mintNonce: 16 bytes by chance, in base64url.
    ///   - saveKeys: keeps the keys before a rotation counts; the host is nil for the shared key.
    package init(
      sleep: @escaping @Sendable (Interval) async throws -> Void, mintNonce: @escaping @Sendable () -> String,
      generateKey: @escaping @Sendable () throws -> TokenPrivateKey,
      saveKeys: @escaping @Sendable (_ host: String?, KeySeries) throws -> Void
    ) {
      self.sleep = sleep
      self.mintNonce = mintNonce
      self.generateKey = generateKey
      self.saveKeys = saveKeys
    }
  }

  let endpoint: ReportEndpoint
  let machine: Machine
  let adminRules: AdminRules

  /// - Parameter adminToken: what callers of the admin surface have to send; nil for whoever is on this machine.
  package init(endpoint: ReportEndpoint, machine: Machine, adminToken: String?) {
    self.endpoint = endpoint
    self.machine = machine
    adminRules = AdminRules(token: adminToken)
  }

  package func router() -> Router<APIContext> {
    let router = Router(context: APIContext.self)
    router.add(middleware: ProblemMiddleware())
    var table = RouteTable(router: router)
    addProtocolRoutes(to: &table)
    addAdminRoutes(to: &table)
    // For probes, which come every few seconds: they must not fill the list or use up a fault.
    table.on("/healthz", .get, parameters: nil) { _, _ in Response(json: ["status": "ok"]) }
    table.refuseOtherMethods()
    return router
  }
}

extension Problem {
  init(_ refusal: Refusal) {
    self.init(
      name: refusal.code.rawValue, title: "The request was refused", status: .init(code: refusal.status),
      detail: refusal.detail)
  }
}

extension Request {
  /// The host that the sender wanted to reach, lower case, without port.
  var targetHost: String {
    let authority = (head.authority ?? "").lowercased()
    if authority.hasPrefix("[") { return String(authority.prefix { $0 != "]" }) + "]" }
    return String(authority.prefix { $0 != ":" })
  }
}
