package import PCMCore
package import PCMSignatures

/// Why a web ad does not count. The website receives no error.
package enum WebAdRejection: Hashable, RuleViolation {
  case systemTooOld(OSVersion)
  case privateSession
  case advertisedAppInvalid(UInt64)
  case payloadStatus(Int)
  case payloadContentType(String?)
  case payloadNotObject
  case payloadVersion(String)
  case networkNotRegistered(String)
  case payloadInvalid(String)
  case payloadMismatch(member: String, found: String, expected: String)
  case payloadSignatureInvalid(String, SignatureRemedy?)
  case tooManyImpressions(maximum: Int)

  package var reason: Reason {
    switch self {
    case .systemTooOld(let system):
      Reason("system-too-old", "web ads need iOS \(WebAdClick.firstSystem.text), and the device runs iOS \(system.text)")
    case .privateSession: Reason("private-session", "a private session does not measure web ads")
    case .advertisedAppInvalid(let item):
      Reason("advertised-app-invalid", "\(item) is not the identifier of an app in the App Store")
    case .payloadStatus(let status): Reason("payload-status", "the ad network responded with status \(status), not with 200")
    case .payloadContentType(let type):
      Reason(
        "payload-content-type",
        "the response has \(type.map { "the content type \($0.shown)" } ?? "no content type"), not application/json")
    case .payloadNotObject: Reason("payload-not-an-object", "the response is not a JSON object")
    case .payloadVersion(let version):
      Reason("payload-version", "version is \(version.shown), and web ads have version \"4.0\"")
    case .networkNotRegistered(let network): .adNetworkNotRegistered(network)
    case .payloadInvalid(let detail): Reason("payload-invalid", detail.asFragment)
    case .payloadMismatch(let member, let found, let expected):
      Reason("payload-mismatch", "\(member) is \(found.shown), and the click is for \(expected)")
    case .payloadSignatureInvalid(let text, let remedy): .signatureInvalid(over: text, remedy)
    case .tooManyImpressions(let maximum): Reason("too-many-impressions", "the device keeps \(maximum) ads, the maximum")
    }
  }

  package var change: String {
    switch self {
    case .systemTooOld: "update the device to iOS \(WebAdClick.firstSystem.text)"
    case .privateSession: "set privateBrowsing to false"
    case .advertisedAppInvalid: "link to the page of an app in the App Store"
    case .payloadStatus: "respond with status 200 and the signed values"
    case .payloadContentType: "respond with Content-Type: application/json"
    case .payloadNotObject: "respond with a JSON object"
    case .payloadVersion: "respond with \"version\":\"4.0\", and sign it"
    case .networkNotRegistered: "respond with the ad_network_id of a registered ad network"
    case .payloadInvalid: "correct this member of the response"
    case .payloadMismatch(let member, _, let expected): "respond with \(expected) as \(member), and sign it"
    case .payloadSignatureInvalid(_, let remedy): remedy.change
    case .tooManyImpressions: "let ads expire, or clear the data"
    }
  }
}
