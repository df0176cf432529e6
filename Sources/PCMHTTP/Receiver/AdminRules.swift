import HTTPTypes

/// Who may call the reference endpoint's admin surface: whoever has the token; without one, whoever is on this machine.
package struct AdminRules: Sendable {
  /// Why a caller is not let in.
  package enum Refusal: Hashable, Sendable, CaseIterable {
    case noToken
    case notLocal
  }

  private let token: String?

  /// - Parameter token: what callers have to send; nil for none.
  package init(token: String?) { self.token = token }

  /// - Parameters:
  ///   - authorization: the header of that name.
  ///   - address: the caller's IP address; nil for a caller in this process.
  package func refusal(authorization: String?, address: String?) -> Refusal? {
    if token != nil {
      return AccessRules(hosts: nil, token: token).admits(authorization: authorization) ? nil : .noToken
    }
    return address.map(Self.isLoopback) ?? true ? nil : .notLocal
  }

  /// As the system writes addresses (RFC 5952), an IPv4 caller of an IPv6 socket among them.
  private static func isLoopback(_ address: String) -> Bool {
    address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
  }
}

extension Problem {
  init(_ refusal: AdminRules.Refusal) {
    switch refusal {
    case .noToken:
      self.init(
        name: "unauthorized", title: "The request needs the admin token", status: .unauthorized,
        detail: "send Authorization: Bearer with the token that the endpoint was started with (--admin-token)",
        headers: [.wwwAuthenticate: "Bearer"])
    case .notLocal:
      self.init(
        name: "not-local", title: "The caller is not on this machine", status: .forbidden,
        detail: "start the endpoint with --admin-token to call this from elsewhere")
    }
  }
}
