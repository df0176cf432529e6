import BrowserSupport
import PCMBrowser
import PCMCore
import PCMNetwork

/// A browser that plays the sequences of a captured WebKit.
struct Stage {
  let scene: Scene
  private let web: Web

  init(seed: String = "seed") async throws {
    let web = Web()
    self.web = web
    scene = try await Scene(seed: seed, transport: ScriptedTransport { request, _ in await web.answer(request) })
  }

  func click(
    page: String, sourceID: String?, destination: String?, nonce: String? = nil, landing: String? = nil
  ) async throws -> ClickRecord {
    try await scene.browser.perform(
      LinkClickInput(
        pageURL: page, attributionSourceID: sourceID, attributionDestination: destination, attributionSourceNonce: nonce,
        landingURL: landing))
  }

  /// The events of a load whose hops answer as the chain says.
  func load(_ chain: Chain) async throws -> LoadOutcome {
    await web.answer(with: chain)
    return try await scene.browser.load(
      LoadInput(
        firstPartyURL: chain.page, url: Web.url(of: 0, in: chain) + chain.fragment, kind: Self.kinds[chain.kind] ?? chain.kind,
        method: chain.kind == "post" ? "POST" : "GET"))
  }

  private static let kinds = ["img": "image", "css": "style", "post": "fetch", "cred": "fetch"]

  func stored() async throws -> (clicks: Set<StoredClick>, attributions: Set<StoredAttribution>) {
    let stored = try await scene.measurements()
    let clicks = stored.unattributed.map {
      StoredClick(source: $0.click.key.source.domain, destination: $0.click.key.destination.domain, sourceID: $0.click.sourceID)
    }
    let attributions = stored.attributed.map {
      StoredAttribution(
        source: $0.key.source.domain, destination: $0.key.destination.domain, sourceID: $0.click.click.sourceID,
        data: $0.trigger.data, priority: $0.trigger.priority, sourceIsPending: $0.source != nil,
        destinationIsPending: $0.destination != nil)
    }
    return (Set(clicks), Set(attributions))
  }
}

/// Answers the requests of one load after the other: the hops of its chain in their order, and 200 from then on.
actor Web {
  private var answers: [Exchange] = []

  static func url(of hop: Int, in chain: Chain) -> String { "\(chain.hosts[hop])/chain/hop\(hop)" }

  func answer(with chain: Chain) {
    let locations = chain.hosts.indices.dropFirst().map { Self.url(of: $0, in: chain) } + [chain.location]
    answers = zip(chain.statuses, locations).map { Exchange(httpStatus: $0, location: $1) }
    if let answer = chain.answer { answers.append(Exchange(httpStatus: answer.status, location: answer.location)) }
  }

  func answer(_ request: OutgoingRequest) -> Exchange {
    guard case .pageLoad = request.kind, !answers.isEmpty else { return Exchange(httpStatus: 200) }
    return answers.removeFirst()
  }
}

extension TriggerOutcome {
  /// The outcome in the terms of the capture: `accepted`, or the code of the reason.
  ///
  /// WebKit accepts an event whose destination token fails afterward, and attributes nothing. For credentials and
  /// fragments it has the same message as for a missing https.
  var verdict: String {
    guard kind == .rejected, let code = reasons.first?.code, code != "destination-token-failed" else { return "accepted" }
    return ["has-credentials", "has-fragment"].contains(code) ? "not-https" : code
  }
}
