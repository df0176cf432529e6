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

/// Holds every request against the rules before anything else looks at it.
struct AccessMiddleware<Context: RequestContext>: RouterMiddleware {
  let rules: AccessRules

  @concurrent func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let authority = request.head.authority
    guard rules.serves(authority: authority) else { throw Problem.misdirected(authority) }
    // The probes say nothing about anybody, and those who probe have no token.
    let isProbe = ["/healthz", "/readyz"].contains(request.uri.path)
    guard isProbe || rules.admits(authorization: request.headers[.authorization]) else { throw Problem.unauthorized }
    return try await next(request, context)
  }
}

extension Problem {
  fileprivate static func misdirected(_ authority: String?) -> Problem {
    Problem(
      name: "misdirected", title: "The request is for another host", status: .misdirectedRequest,
      detail: "this service is not called \"\(authority ?? "")\"; start it with --allowed-host to serve that name")
  }

  fileprivate static var unauthorized: Problem {
    Problem(
      name: "unauthorized", title: "The request needs the API token", status: .unauthorized,
      detail: "send Authorization: Bearer with the token that the service was started with (--api-token)",
      headers: [.wwwAuthenticate: "Bearer"])
  }
}
