import PCMCore
package import PCMNetwork

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
    /// A request of a measurement SDK.
    case sdkRequest = "sdk-request"
  }

  package let kind: Kind
  /// The host in lowercase, without a port.
  package let host: String
  private let writtenPath: Substring

  package init(_ request: OutgoingRequest) {
    let text = request.url.utf8.prefix { $0 != UInt8(ascii: "#") }
    let colon = text.drop { $0 != UInt8(ascii: ":") }
    let behindScheme = colon.starts(with: "://".utf8) ? colon.dropFirst(3) : text
    let authority = behindScheme.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    writtenPath = Substring(behindScheme[authority.endIndex...])
    host = Self.host(of: authority)
    if request.kind != .measurement {
      kind = .load
    } else if DeviceRequest.isFromSDK(request) {
      kind = .sdkRequest
    } else if BrowserRequest.isSigning(request) {
      kind = .sign
    } else if DeviceRequest.isFromDevice(request) {
      kind = DeviceRequest.isSignedPayload(request) ? .signedPayload : .postback
    } else {
      kind = request.method == .get ? .tokenKey : .report
    }
  }

  /// The path with the query, without the fragment, and with `removed@` instead of the user information of URLs in it.
  package var path: String {
    (writtenPath.hasPrefix("/") ? String(writtenPath) : "/" + writtenPath).withMarkedUserInformation
  }

  /// The port is not part of a site.
  private static func host(of authority: Substring.UTF8View) -> String {
    let colon = authority.last == UInt8(ascii: "]") ? nil : authority.lastIndex(of: UInt8(ascii: ":"))
    return Substring(authority[..<(colon ?? authority.endIndex)]).lowercased()
  }
}
