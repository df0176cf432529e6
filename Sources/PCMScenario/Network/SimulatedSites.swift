import PCMCore
package import PCMDelivery
package import PCMTokens

/// All sites of a scenario: good endpoints, unless their behaviour says otherwise. They answer at once.
package actor SimulatedSites: Transport {
  private let registrableDomain: @Sendable (_ host: String) -> String
  private let keys: SimulatedSiteKeys
  private var sites: [String: State] = [:]

  /// What one site does; the lists are what is left of them.
  private struct State {
    var key = SiteBehavior.Key.first
    var report = AnswerList()
    var tokenKey = AnswerList()
    var sign = AnswerList()
    var loads: [String: AnswerList] = [:]
  }

  /// Answers in their order, of which the last one stays.
  private struct AnswerList {
    private var answers: [SiteBehavior.Answer]

    init(_ answers: [SiteBehavior.Answer] = [.good]) {
      self.answers = answers
    }

    mutating func next() -> SiteBehavior.Answer {
      guard answers.count > 1 else { return answers.first ?? .good }
      return answers.removeFirst()
    }
  }

  /// - Parameter registrableDomain: of a host; the host itself where it has none.
  package init(registrableDomain: @escaping @Sendable (_ host: String) -> String) throws(TokenKeyError) {
    self.registrableDomain = registrableDomain
    keys = try SimulatedSiteKeys()
  }

  /// From here on these sites behave so. What is not named stays, and each list that is named begins anew.
  package func apply(_ changes: [String: SiteBehavior]) {
    for (host, change) in changes {
      var site = sites[host] ?? State()
      if let key = change.key { site.key = key }
      if let answers = change.report { site.report = AnswerList(answers) }
      if let answers = change.tokenKey { site.tokenKey = AnswerList(answers) }
      if let answers = change.sign { site.sign = AnswerList(answers) }
      for (path, answers) in change.loads { site.loads[path] = AnswerList(answers) }
      sites[host] = site
    }
  }

  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    let target = RequestTarget(request)
    // The host decides; when it is not mentioned, its registrable domain.
    let name = sites[target.host] == nil ? registrableDomain(target.host) : target.host
    var site = sites[name] ?? State()
    defer { if sites[name] != nil { sites[name] = site } }
    let answer: SimulatedAnswer
    switch target.kind {
    case .report: answer = SimulatedAnswer(site.report.next())
    case .tokenKey: answer = SimulatedAnswer(site.tokenKey.next(), key: keys[site.key])
    case .sign: answer = SimulatedAnswer(site.sign.next(), signing: request.body ?? [], with: keys[site.key])
    case .load: answer = site.loads[target.path]?.next().asPage ?? .notFound
    }
    return answer.exchange(to: request, limit: route.responseLimit)
  }
}
