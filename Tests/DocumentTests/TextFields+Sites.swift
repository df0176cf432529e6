import HTTPTypes
import PCMCore

// Texts in the behavior of simulated sites.

extension TextFields {
  static let sites = hosts + responses + signedPayloads

  private static let hosts: [TextField] = [
    .path("host", "{}", echo: "/sites") { "\($0)/sites/" },
    site("path", isEchoed: false) { ["loads": .object([.init("/" + ($0.string ?? ""), ["status": 200])])] },
  ]

  private static let responses: [TextField] =
    ["report", "token-key", "sign", "postback", "signed-payload", "sdk-request"].flatMap { kind in response(kind) { [kind: $0] }
    }
    + response("load") { ["loads": ["/": [$0]]] }

  /// The texts of one response.
  private static func response(_ kind: String, _ behavior: @escaping @Sendable (JSON) -> JSON) -> [TextField] {
    let members = ["body", "content-type", "location", "resource-policy"].map { name in
      site("\(name) of \(kind)") { behavior([name: $0]) }
    }
    let failure = site("failure of \(kind)") { behavior(["failure": ["code": "timed-out", "detail": $0]]) }
    return members + [failure]
  }

  private static let identifiers = ["adNetworkIdentifier", "adImpressionIdentifier", "sourceDomain"]

  private static let signedPayloads: [TextField] =
    identifiers.map { signedPayload("ad", $0) } + (identifiers + ["separator"]).map { signedPayload("signedAs", $0) }

  private static func signedPayload(_ part: String, _ name: String) -> TextField {
    site("\(part) \(name)") { ["signed-payload": [part: [name: $0]]] }
  }

  private static func site(
    _ name: String, isEchoed: Bool = true, _ behavior: @escaping @Sendable (JSON) throws -> JSON
  ) -> TextField {
    let path = "/sites/site{number}.example"
    return .member(.put, name, path, in: .shared, echo: isEchoed ? path : nil, behavior)
  }
}
