import HTTPTypes
import Hummingbird

/// The rules for access to the reference endpoint's admin API: callers that use a name of the endpoint and are no page of another
/// site, as for the service; with a token, callers that send it; without one, callers on this machine.
package struct AdminRules: Sendable {
  /// The reason why a caller has no access.
  package enum AccessError: Hashable, Sendable, CaseIterable {
    case noToken
    case notLocal
  }

  private let token: String?
  /// The rules for hosts, pages, and the token.
  private let access: AccessRules

  /// - Parameters:
  ///   - hosts: The names of the endpoint; nil allows every name.
  ///   - token: The token that callers must send; nil for none.
  package init(hosts: [String]? = nil, token: String?) {
    self.token = token
    access = AccessRules(hosts: hosts, token: token)
  }

  /// Throws a problem for a caller without access.
  ///
  /// - Parameter address: The caller's IP address; nil for a caller in this process.
  func check(_ request: Request, address: String?) throws(Problem) {
    try access.checkPage(of: request, option: "--name")
    if let error = accessError(authorization: request.headers[.authorization], address: address) { throw Problem(error) }
  }

  /// - Parameters:
  ///   - authorization: The `Authorization` header.
  ///   - address: The caller's IP address; nil for a caller in this process.
  package func accessError(authorization: String?, address: String?) -> AccessError? {
    if token != nil { return access.admits(authorization: authorization) ? nil : .noToken }
    return address.map(Authority.isLoopback) ?? true ? nil : .notLocal
  }
}

extension Problem {
  init(_ error: AdminRules.AccessError) {
    switch error {
    case .noToken:
      self.init(
        code: "unauthorized", title: "Unauthorized", status: .unauthorized,
        detail: "send Authorization: Bearer with the token that the endpoint was started with (--admin-token)",
        headers: [.wwwAuthenticate: "Bearer"])
    case .notLocal:
      self.init(
        code: "not-local", title: "Loopback only", status: .forbidden,
        detail: "the caller is not on this machine; start the endpoint with --admin-token to allow other callers")
    }
  }
}
