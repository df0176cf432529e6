import PCMCore
import PCMNetwork
import PCMSimulatedSites

/// The format of a simulated site's behavior.
enum SiteFormat {
  static let site: Shape = .named(
    "site",
    .object(
      ObjectShape(
        "The behavior of a site. By default, the site is a good endpoint.",
        [
          .optional(
            "key", .choice(SiteBehavior.Key.allCases.map(\.rawValue)), "The token key that the site serves and signs with"),
          .optional("report", responses(response), "The response to reports"),
          .optional("token-key", responses(response), "The response to requests for the token key"),
          .optional("sign", responses(signature), "The response to signing requests"),
          .optional("postback", responses(response), "The response to postbacks"),
          .optional("signed-payload", responses(payload), "The response to requests for the signed values of a web ad"),
          .optional("sdk-request", responses(response), "The response to requests of a measurement SDK"),
          .optional("loads", .map(.path, responses(response)), "The responses of pages, by path and query; others return 404"),
        ])))

  /// A response, or several in order. The last one is used repeatedly.
  private static func responses(_ response: Shape) -> Shape {
    .oneOf([response, .list(response, 1...1_000)])
  }

  private static let response: Shape = .named(
    "answer",
    .object(
      ObjectShape(
        "A response. Absent members have the values of a good endpoint.", responseMembers, rules: [.alone("failure")])))

  private static let signature: Shape = .named(
    "signature",
    .object(
      ObjectShape(
        "A response to a signing request. Absent members have the values of a good endpoint.",
        responseMembers + [
          .optional("forged", .yes, "One bit of the signature is flipped"),
          .optional("short", .yes, "The last byte of the signature is missing"),
        ], rules: [.alone("failure")])))

  private static let payload: Shape = .named(
    "signedPayload",
    .object(
      ObjectShape(
        "A response with the signed values of a web ad. Absent members have the values of a good endpoint.",
        responseMembers + [
          .optional("ad", AdFormat.webAd, "The values that differ from the test ad"),
          .optional("signedAs", AdFormat.webAdChanges, "The values that are signed instead of those in the response"),
        ], rules: [.alone("failure")])))

  private static let responseMembers: [ObjectShape.Member] = [
    .optional("status", .integer(100...599), "The HTTP status"),
    .optional("content-type", .text, "The media type"),
    .optional("body", .text, "The body"),
    .optional("location", .text, "The target of a redirect"),
    .optional(
      "resource-policy", .text,
      "The header field `Cross-Origin-Resource-Policy`, such as `same-origin`, which ends the loads of other sites"),
    .optional("failure", .oneOf([failureCode, failure]), "The reason for no response; without other members"),
  ]

  private static let failureCode: Shape = .choice(TransportFailure.Code.allCases.map(\.rawValue))

  private static let failure: Shape = .object(
    ObjectShape(
      "The reason for no response, and its detail in the log.",
      [.required("code", failureCode, "The reason for no response"), .required("detail", .text, "The detail in the log")]))
}

/// Creates the behavior of sites from nodes of the checked shape.
enum SiteReading {
  static func sites(_ node: SourceNode) -> [String: SiteBehavior] {
    changes(node).compactMapValues { $0 }
  }

  /// A null behavior removes the site.
  static func changes(_ node: SourceNode) -> [String: SiteBehavior?] {
    Dictionary(node.members.map { ($0.name, $0.node.json == .null ? nil : SiteBehavior(checked: $0.node.json)) }) { first, _ in
      first
    }
  }
}
