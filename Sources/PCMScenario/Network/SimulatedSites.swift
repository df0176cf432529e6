import PCMCore
package import PCMDelivery
package import PCMTokens

/// All sites of a scenario: good endpoints, except for the specified behavior. They respond immediately.
package actor SimulatedSites: Transport {
  private let registrableDomain: @Sendable (_ host: String) -> String
  private let keys: SimulatedSiteKeys
  private var sites: [String: State] = [:]

  /// The behavior of a site. The lists contain the remaining responses.
  private struct State {
    var key = SiteBehavior.Key.first
    var report = AnswerList()
    var tokenKey = AnswerList()
    var sign = AnswerList()
    var loads: [String: AnswerList] = [:]
  }

  /// Responses in order. The last one is used repeatedly.
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

  /// - Parameter registrableDomain: Returns the registrable domain of a host, or the host itself when it has none.
  package init(registrableDomain: @escaping @Sendable (_ host: String) -> String) throws(TokenKeyError) {
    self.registrableDomain = registrableDomain
    keys = try SimulatedSiteKeys()
  }

  /// Changes the behavior of sites. Behavior that is not specified remains, and each specified list starts from its
  /// beginning.
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
    // The behavior of the host takes precedence over that of its registrable domain.
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
