import HTTPTypes
import Hummingbird
import PCMCore

/// Who may speak to the service.
package struct AccessRules: Sendable {
  /// Names by which the service may be called, lower case, without ports; nil allows every name.
  private let hosts: Set<String>?
  /// What `Authorization: Bearer` must carry; nil asks for nothing.
  private let token: String?

  package init(hosts: [String]?, token: String?) {
    self.hosts = hosts.map { Set($0.map { Self.host(of: $0) }) }
    self.token = token
  }

  /// Everybody, by every name: for callers in the same process.
  package static let open = AccessRules(hosts: nil, token: nil)

  /// A name that is not the service's own is refused, so that a page in somebody's browser, whose name was made to lead
  /// to this address, cannot drive a service on loopback.
  package func serves(authority: String?) -> Bool {
    guard let hosts else { return true }
    guard let authority else { return false }
    return hosts.contains(authority) || hosts.contains(Self.host(of: authority))
  }

  package func admits(authorization: String?) -> Bool {
    guard let token else { return true }
    let prefix = "bearer "
    guard let authorization, authorization.lowercased().hasPrefix(prefix) else { return false }
    return Self.isEqual(authorization.dropFirst(prefix.count).utf8, token.utf8)
  }

  /// Only a browser sends `Origin` and `Sec-Fetch-Site`, and they say which page made it send the request. A page of the
  /// service itself may; whoever follows a link to the service may; no other page may, whether its browser would ask
  /// first (CORS) or not: a plain POST needs no leave, and does its work before anybody looks at the answer.
  package func admits(_ provenance: Provenance) -> Bool {
    if let origin = provenance.origin { return Self.isSame(origin, as: provenance.authority) }
    switch provenance.fetchSite?.lowercased() {
    case nil, "same-origin", "none": return true
    default: return provenance.isNavigation
    }
  }

  /// An origin is a scheme and an authority; whether TLS was taken off on the way is not known here.
  private static func isSame(_ origin: String, as authority: String?) -> Bool {
    guard let authority else { return false }
    return ["http://", "https://"].contains { origin.lowercased() == $0 + authority.lowercased() }
  }

  /// Takes the same time wherever the difference is.
  private static func isEqual(_ given: Substring.UTF8View, _ wanted: String.UTF8View) -> Bool {
    guard given.count == wanted.count else { return false }
    return zip(given, wanted).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// `[::1]:8726`, `localhost:8726` and `localhost` without their ports.
  private static func host(of authority: String) -> String {
    let text = authority.lowercased()
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") { return String(text[...end]) }
    // A bare IPv6 address, as it is given on the command line, has more than one colon.
    guard let colon = text.firstIndex(of: ":") else { return text }
    return text[text.index(after: colon)...].contains(":") ? "[\(text)]" : String(text[..<colon])
  }
}

/// What a request says about the page that made it.
package struct Provenance: Hashable, Sendable {
  let authority: String?
  let origin: String?
  let fetchSite: String?
  /// Somebody goes to the service in a window of his own: he sees the answer, the page that led him here does not.
  let isNavigation: Bool

  package init(authority: String?, origin: String?, fetchSite: String?, isNavigation: Bool) {
    self.authority = authority
    self.origin = origin
    self.fetchSite = fetchSite
    self.isNavigation = isNavigation
  }
}

extension Provenance {
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

/// Holds every request against the rules before anything else looks at it.
struct AccessMiddleware<Context: RequestContext>: RouterMiddleware {
  let rules: AccessRules

  @concurrent func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let authority = request.head.authority
    guard rules.serves(authority: authority) else { throw Problem.misdirected(authority) }
    guard rules.admits(Provenance(request)) else { throw Problem.crossOrigin(request.headers[.origin]) }
    // The probes and the numbers say nothing about anybody, and those who ask for them have no token.
    guard rules.admits(authorization: request.headers[.authorization]) || isProbe(request) else { throw Problem.unauthorized }
    return try await next(request, context)
  }

  private func isProbe(_ request: Request) -> Bool { ["/healthz", "/readyz", "/metrics"].contains(request.uri.path) }
}

extension Problem {
  fileprivate static func misdirected(_ authority: String?) -> Problem {
    Problem(
      name: "misdirected", title: "The request is for another host", status: .misdirectedRequest,
      detail: "this service is not called \"\(authority ?? "")\"; start it with --allowed-host to serve that name")
  }

  fileprivate static func crossOrigin(_ origin: String?) -> Problem {
    Problem(
      name: "cross-origin", title: "The request comes from a page of somebody else", status: .forbidden,
      detail: "pages of \(origin ?? "another site") may not use this service; only its own page may")
  }

  fileprivate static var unauthorized: Problem {
    Problem(
      name: "unauthorized", title: "The request needs the API token", status: .unauthorized,
      detail: "send Authorization: Bearer with the token that the service was started with (--api-token)",
      headers: [.wwwAuthenticate: "Bearer"])
  }
}
