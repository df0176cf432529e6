import PCMDelivery

/// Makes the behaviour of sites of nodes whose shape is right.
enum SiteReading {
  static func sites(_ node: SourceNode) -> [String: SiteBehaviour] {
    Dictionary(node.members.map { ($0.name, site($0.node)) }) { first, _ in first }
  }

  private static func site(_ node: SourceNode) -> SiteBehaviour {
    SiteBehaviour(
      key: node["key"]?.text.flatMap(SiteBehaviour.Key.init(rawValue:)), report: node["report"].map(answers),
      tokenKey: node["token-key"].map(answers), sign: node["sign"].map(answers),
      loads: Dictionary((node["loads"]?.members ?? []).map { ($0.name, answers($0.node)) }) { first, _ in first })
  }

  private static func answers(_ node: SourceNode) -> [SiteBehaviour.Answer] {
    guard case .list(let items) = node.value else { return [answer(node)] }
    return items.map(answer)
  }

  private static func answer(_ node: SourceNode) -> SiteBehaviour.Answer {
    var answer = SiteBehaviour.Answer()
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
