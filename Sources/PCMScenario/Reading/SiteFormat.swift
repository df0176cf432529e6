import PCMDelivery

/// What a simulated site does.
enum SiteFormat {
  static let site: Shape = .named(
    "site",
    .object(
      ObjectShape(
        "What a site does; where nothing is said, what a good endpoint does.",
        [
          .optional("key", .choice(SiteBehavior.Key.allCases.map(\.rawValue)), "Which token key is served and signs"),
          .optional("report", answers(answer), "The answer to reports"),
          .optional("token-key", answers(answer), "The answer to requests for the token key"),
          .optional("sign", answers(signature), "The answer to signing requests"),
          .optional("loads", .map(.path, answers(answer)), "What pages answer, by path and query; anything else is 404"),
        ])))

  /// One answer, or several in order, the last of which stays.
  private static func answers(_ answer: Shape) -> Shape {
    .oneOf([answer, .list(answer, 1...1_000)])
  }

  private static let answer: Shape = .named(
    "answer",
    .object(
      ObjectShape(
        "An answer; `{}` is the good one, and what is not named is as in it.", answerMembers, rules: [.alone("failure")])))

  private static let signature: Shape = .named(
    "signature",
    .object(
      ObjectShape(
        "An answer to a signing request; `{}` is the good one, and what is not named is as in it.",
        answerMembers + [
          .optional("forged", .yes, "One bit of the signature is flipped"),
          .optional("short", .yes, "The last byte of the signature is missing"),
        ], rules: [.alone("failure")])))

  private static let answerMembers: [ObjectShape.Member] = [
    .optional("status", .integer(100...599), "The HTTP status"),
    .optional("content-type", .text, "The media type"),
    .optional("body", .text, "The body, as it is"),
    .optional("location", .text, "Where a redirect leads"),
    .optional("failure", .oneOf([failureCode, failure]), "No answer at all, and why; with no other member"),
  ]

  private static let failureCode: Shape = .choice(TransportFailure.Code.allCases.map(\.rawValue))

  private static let failure: Shape = .object(
    ObjectShape(
      "Why no answer came, and what the log says of it.",
      [.required("code", failureCode, "Why no answer came"), .required("detail", .text, "What the log says of it")]))
}

/// Makes the behaviour of sites of nodes whose shape is right.
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
