import PCMDelivery

/// The format of a simulated site's behavior.
enum SiteFormat {
  static let site: Shape = .named(
    "site",
    .object(
      ObjectShape(
        "The behavior of a site. The default is that of a good endpoint.",
        [
          .optional(
            "key", .choice(SiteBehavior.Key.allCases.map(\.rawValue)), "The token key that the site serves and signs with"),
          .optional("report", answers(answer), "The response to reports"),
          .optional("token-key", answers(answer), "The response to requests for the token key"),
          .optional("sign", answers(signature), "The response to signing requests"),
          .optional("loads", .map(.path, answers(answer)), "The responses of pages, by path and query; others return 404"),
        ])))

  /// A response, or several in order, the last of which is used repeatedly.
  private static func answers(_ answer: Shape) -> Shape {
    .oneOf([answer, .list(answer, 1...1_000)])
  }

  private static let answer: Shape = .named(
    "answer",
    .object(
      ObjectShape(
        "A response. Absent members are those of a good endpoint.", answerMembers, rules: [.alone("failure")])))

  private static let signature: Shape = .named(
    "signature",
    .object(
      ObjectShape(
        "A response to a signing request. Absent members are those of a good endpoint.",
        answerMembers + [
          .optional("forged", .yes, "One bit of the signature is flipped"),
          .optional("short", .yes, "The last byte of the signature is missing"),
        ], rules: [.alone("failure")])))

  private static let answerMembers: [ObjectShape.Member] = [
    .optional("status", .integer(100...599), "The HTTP status"),
    .optional("content-type", .text, "The media type"),
    .optional("body", .text, "The body"),
    .optional("location", .text, "The target of a redirect"),
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
    Dictionary(node.members.map { ($0.name, site($0.node)) }) { first, _ in first }
  }

  private static func site(_ node: SourceNode) -> SiteBehavior {
    SiteBehavior(
      key: node["key"]?.text.flatMap(SiteBehavior.Key.init(rawValue:)), report: node["report"].map(answers),
      tokenKey: node["token-key"].map(answers), sign: node["sign"].map(answers),
      loads: Dictionary((node["loads"]?.members ?? []).map { ($0.name, answers($0.node)) }) { first, _ in first })
  }

  private static func answers(_ node: SourceNode) -> [SiteBehavior.Answer] {
    guard case .list(let items) = node.value else { return [answer(node)] }
    return items.map(answer)
  }

  private static func answer(_ node: SourceNode) -> SiteBehavior.Answer {
    var answer = SiteBehavior.Answer()
    answer.status = node["status"].flatMap { if case .number(let status) = $0.value { Int(status) } else { nil } }
    answer.contentType = node["content-type"]?.text
    answer.body = node["body"]?.text
    answer.location = node["location"]?.text
    let failure = node["failure"]
    answer.failure = (failure?.text ?? failure?["code"]?.text).flatMap(TransportFailure.Code.init(rawValue:))
    answer.failureDetail = failure?["detail"]?.text
    answer.forged = node["forged"]?.value == .bool(true)
    answer.short = node["short"]?.value == .bool(true)
    return answer
  }
}
