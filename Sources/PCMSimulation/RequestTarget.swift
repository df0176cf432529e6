import PCMCore
package import PCMDelivery

/// The target and the kind of a request. They depend only on its URL and form, so that they are the same on a real network.
package struct RequestTarget: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case report
    case tokenKey = "token-key"
    case sign
    case load
    /// A postback of the device.
    case postback
    /// A request for the signed values of a web ad.
    case signedPayload = "signed-payload"
  }

  package let kind: Kind
  /// The host in lowercase, without a port.
  package let host: String
  /// The path with the query, without the fragment, and with `removed@` instead of the user information of URLs in it.
  package let path: String

  package init(_ request: OutgoingRequest) {
    let text = request.url.prefix { $0 != "#" }
    let behindScheme = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text
    let authority = behindScheme.prefix { $0 != "/" && $0 != "?" }
    let path = behindScheme.dropFirst(authority.count)
    host = Self.host(of: authority)
    self.path = (path.hasPrefix("/") ? String(path) : "/" + path).withMarkedUserInformation
    if request.kind != .measurement {
      kind = .load
    } else if BrowserRequest.isSigning(request) {
      kind = .sign
    } else if DeviceRequest.isFromDevice(request) {
      kind = DeviceRequest.isSignedPayload(request) ? .signedPayload : .postback
    } else {
      kind = request.method == .get ? .tokenKey : .report
    }
  }

  /// The port is not part of a site.
  private static func host(of authority: Substring) -> String {
    guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else { return authority.lowercased() }
    return authority[..<colon].lowercased()
  }
}
