import HTTPTypes
package import Hummingbird
package import PCMCore
package import PCMCrypto
package import PCMEndpoint

/// The HTTP API of the reference report endpoint: the protocol routes for browsers, and the admin routes for tests.
package struct EndpointAPI: Sendable {
  /// The capabilities of the machine that the endpoint needs.
  package struct Machine: Sendable {
    let sleep: @Sendable (Interval) async throws -> Void
    let mintNonce: @Sendable () -> String
    let generateKey: @Sendable () throws -> TokenPrivateKey
    let saveKeys: @Sendable (_ host: String?, KeySeries) throws -> Void

    /// - Parameters:
    ///   - mintNonce: Returns 16 random bytes in base64url.
    ///   - saveKeys: Stores the keys before a rotation takes effect; the host is nil for the shared key.
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
  let hasSites: Bool

  /// - Parameters:
  ///   - adminHosts: The names of the endpoint in requests to the admin API; nil allows every name.
  ///   - adminToken: The token that callers of the admin API must send; nil allows callers on this machine only.
  ///   - hasSites: Whether to also serve the pages of the demo's sites.
  package init(
    endpoint: ReportEndpoint, machine: Machine, adminHosts: [String]? = nil, adminToken: String?, hasSites: Bool = false
  ) {
    self.endpoint = endpoint
    self.machine = machine
    self.hasSites = hasSites
    adminRules = AdminRules(hosts: adminHosts, token: adminToken)
  }

  package func router() -> Router<APIContext> {
    let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
    router.add(
      middleware: RequestMiddleware(check: Self.requireHost) { response, request, _ in
        // The responses of the admin API have the header fields of the control API.
        if request.uri.path.hasPrefix("/admin/") { response.headers[.xContentTypeOptions] = "nosniff" }
      })
    var table = RouteTable(router: router)
    addProtocolRoutes(to: &table)
    addAppAdRoutes(to: &table)
    addAdminRoutes(to: &table)
    addPageRoutes(to: &table)
    if hasSites { addSiteRoutes(to: &table) }
    // Frequent probes must not fill the list or use up a fault.
    table.on("/healthz", .get, parameters: nil) { _, _ in Response(json: ["status": "ok"]) }
    table.rejectOtherRequests()
    return router
  }

  /// Requires one valid host, also of requests over HTTP/2. ``ConnectionLimits`` has checked requests over HTTP/1.1 already.
  private static func requireHost(_ request: Request) throws {
    guard request.authority != nil else {
      throw Problem.malformed(
        "the request has no valid host; send one host name or IP address with an optional port in :authority")
    }
  }
}

extension Problem {
  init(_ error: RequestError) {
    self.init(
      code: error.code.rawValue, title: "Request rejected", status: .init(code: error.status),
      detail: error.detail)
  }
}

extension Request {
  /// The target host in lowercase, without the port.
  var targetHost: String { authority?.host ?? "" }

  /// The host in `:authority` and in `Host`, which need not both exist; nil unless it is one valid host (RFC 9113, section
  /// 8.3.1).
  fileprivate var authority: Authority? {
    let fields = HTTPField.Name("Host").map { headers[values: $0] } ?? []
    let hosts = ([head.authority].compactMap { $0 } + fields).map { Authority($0) }
    guard let host = hosts.first, fields.count <= 1, hosts.allSatisfy({ $0 == host }) else { return nil }
    return host
  }
}
