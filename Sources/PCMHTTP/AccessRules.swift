import HTTPTypes
import Hummingbird
import PCMCore

/// The rules for access to the service.
package struct AccessRules: Sendable {
  /// The host names of the service in lowercase, without ports, where an asterisk takes the place of a first label; nil allows every
  /// name.
  private let hosts: Set<String>?
  /// The token that `Authorization: Bearer` must contain; nil when none is required.
  private let token: String?

  /// - Parameter hosts: The host names and addresses of the service, with or without ports, or names with an asterisk as the first
  ///   label, as in certificates; nil allows every name.
  package init(hosts: [String]?, token: String?) {
    self.hosts = hosts.map { Set($0.compactMap { $0.hasPrefix("*.") ? $0.lowercased() : Authority(argument: $0)?.host }) }
    self.token = token
  }

  /// Allows every caller and every host name, for callers in the same process.
  package static let open = AccessRules(hosts: nil, token: nil)

  /// Returns whether an authority names this service, so that a page whose host name resolves to this address (DNS
  /// rebinding) cannot control a service on loopback.
  package func serves(authority: String?) -> Bool {
    guard let hosts else { return true }
    guard let host = authority.flatMap({ Authority($0)?.host }) else { return false }
    return hosts.contains(host) || hosts.contains("*" + host.drop { $0 != "." })
  }

  package func admits(authorization: String?) -> Bool {
    guard let token else { return true }
    let prefix = "bearer "
    guard let authorization, authorization.lowercased().hasPrefix(prefix) else { return false }
    return Self.isEqual(authorization.dropFirst(prefix.count).utf8, token.utf8)
  }

  /// Returns whether the page that made a request may use the service. Only browsers send `Origin` and `Sec-Fetch-Site`.
  /// Pages of the service and navigations are allowed. Pages of other sites are not, with or without a CORS preflight: a
  /// plain POST needs none and takes effect before the browser checks the response.
  package func admits(_ origin: RequestOrigin) -> Bool {
    if let page = origin.origin { return Self.isSame(page, as: origin.authority) }
    switch origin.fetchSite?.lowercased() {
    case nil, "same-origin", "none": return true
    default: return origin.isNavigation
    }
  }

  /// An origin is a scheme and an authority. Both schemes match, because a proxy may terminate TLS.
  private static func isSame(_ origin: String, as authority: String?) -> Bool {
    guard var host = authority?.lowercased() else { return false }
    // An origin has no empty port.
    if host.hasSuffix(":") { host.removeLast() }
    return ["http://", "https://"].contains { origin.lowercased() == $0 + host }
  }

  /// Compares in constant time.
  private static func isEqual(_ given: Substring.UTF8View, _ wanted: String.UTF8View) -> Bool {
    guard given.count == wanted.count else { return false }
    return zip(given, wanted).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// The headers of a request that identify the page that made it.
package struct RequestOrigin: Hashable, Sendable {
  let authority: String?
  let origin: String?
  let fetchSite: String?
  /// Whether the request is a top-level navigation, whose response the linking page cannot read.
  let isNavigation: Bool

  package init(authority: String?, origin: String?, fetchSite: String?, isNavigation: Bool) {
    self.authority = authority
    self.origin = origin
    self.fetchSite = fetchSite
    self.isNavigation = isNavigation
  }
}

extension RequestOrigin {
  init(_ request: Request) {
    func field(_ name: HTTPField.Name?) -> String? { name.flatMap { request.headers[$0] } }
    self.init(
      authority: request.head.authority, origin: request.headers[.origin], fetchSite: field(Self.fetchSite),
      isNavigation: request.method == .get && field(Self.fetchMode) == "navigate" && field(Self.fetchDestination) == "document")
  }

  private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")
  private static let fetchMode = HTTPField.Name("Sec-Fetch-Mode")
  private static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")
}

extension AccessRules {
  /// Throws a problem for a host that is not a name of the service, and for a request of another site's page.
  ///
  /// - Parameter option: The option that adds a name.
  func checkPage(of request: Request, option: String) throws(Problem) {
    let authority = request.head.authority
    guard serves(authority: authority) else { throw Problem.misdirected(authority, option: option) }
    guard admits(RequestOrigin(request)) else { throw Problem.crossOrigin(request.headers[.origin]) }
  }
}

extension AccessRules {
  /// Throws a problem for a request without access.
  func check(_ request: Request) throws(Problem) {
    try checkPage(of: request, option: "--allowed-host")
    // Probes, metrics, and pages contain no personal data. A page asks for the token and sends it for the data.
    guard admits(authorization: request.headers[.authorization]) || isProbe(request) || isPage(request) else {
      throw Problem.unauthorized
    }
  }

  private func isProbe(_ request: Request) -> Bool { ["/healthz", "/readyz", "/metrics"].contains(request.uri.path) }

  /// Returns whether the request is for a page or one of its files, which are the same for every caller.
  private func isPage(_ request: Request) -> Bool {
    let parts = request.uri.path.split(separator: "/")
    let isPage =
      switch parts.count {
      case 0: true
      case 1: ["rules", "docs", "documentation"].contains(parts[0])
      case 2: ["browsers", "assets", "documentation"].contains(parts[0])
      default: parts[0] == "documentation"
      }
    return isPage && [.get, .head].contains(request.method)
  }
}

extension Problem {
  fileprivate static func misdirected(_ authority: String?, option: String) -> Problem {
    Problem(
      code: "misdirected", title: "Misdirected request", status: .misdirectedRequest,
      detail: "the host \"\(authority ?? "")\" is not a name of this service; allow it with \(option)")
  }

  fileprivate static func crossOrigin(_ origin: String?) -> Problem {
    Problem(
      code: "cross-origin", title: "Cross-origin request", status: .forbidden,
      detail: "pages of \(origin ?? "another site") cannot use this service; only its own pages can")
  }

  fileprivate static var unauthorized: Problem {
    Problem(
      code: "unauthorized", title: "Unauthorized", status: .unauthorized,
      detail: "send Authorization: Bearer with the service's token (--api-token-file, PCM_BROWSER_API_TOKEN, or --api-token)",
      headers: [.wwwAuthenticate: "Bearer"])
  }
}
