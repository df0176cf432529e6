import PCMCore
import PCMDevice
import PCMNetwork
import PCMStore

/// The request for the signed values of a web ad, with the number of the ad.
struct WebAdOrder: Hashable, Sendable {
  let impression: Int64
  let request: SignedPayloadRequest
}

extension Browser {
  /// Requests the signed values of a web ad from the ad network (SKAdNetwork reference, section 2.3). The exchange takes no time
  /// on the browser's clock.
  ///
  /// When the task is canceled, the ad is decided as if the ad network did not respond.
  func fetchSignedPayload(_ order: WebAdOrder) async throws {
    let request = DeviceRequest.signedPayload(url: order.request.url, body: order.request.body)
    let exchange = await send(request, for: .loads, try await requestContext())
    try await submit { writer, state in
      try state.onDevice(writer) { try $0.finish(order, exchange, $1) }
    }.answer()
  }
}

extension StoredDevice {
  /// Decides about a click on a link to the App Store. Returns the request that follows; nil if the click does not count.
  mutating func follow(
    _ donation: AppStoreDonation, isPrivateSession: Bool, _ context: DeviceContext
  ) throws -> WebAdOrder? {
    let id = try nextSequence()
    var evaluation = RuleEvaluation(of: DeviceRuleBook.webAdClick)
    let click = WebAdClick(donation, isPrivateSession: isPrivateSession, device: context.device, at: context.now)
    switch click.decide(&evaluation) {
    case .request(let request):
      try append(
        SignedPayloadRequested(impression: id, url: request.url, decision: RecordedDecision(evaluation)), at: context.now)
      return WebAdOrder(impression: id, request: request)
    case .reject(let rejection):
      _ = try apply(judgedWebAd(.reject(rejection), evaluation, donation), to: id, context)
      return nil
    }
  }

  fileprivate mutating func finish(_ order: WebAdOrder, _ exchange: Exchange, _ context: DeviceContext) throws {
    guard let status = exchange.httpStatus else { return try reject(order, exchange, context) }
    var evaluation = RuleEvaluation(of: DeviceRuleBook.signedPayload)
    let response = SignedPayloadResponse(
      to: order.request, status: status, contentType: exchange.contentType, body: exchange.body, networks: context.networks,
      device: context.device)
    var decision = response.decide(&evaluation)
    // The click was answered, so the limit is the outcome of the ad.
    if case .record = decision, try currentAds(context).kept.count >= Browser.maximumImpressionCount {
      decision = .reject(.tooManyImpressions(maximum: Browser.maximumImpressionCount))
    }
    _ = try apply(judgedWebAd(decision, evaluation, order.request.donation), to: order.impression, context)
  }

  /// Logs that no response arrived.
  private func reject(_ order: WebAdOrder, _ exchange: Exchange, _ context: DeviceContext) throws {
    var evaluation = RuleEvaluation(of: Exchange.arrivalRuleList)
    let reason = exchange.missingAnswer(&evaluation)
    try append(
      ImpressionDecided(
        .impressionRejected,
        impression: order.impression, subject: Self.subject(order.request.donation, network: nil), interaction: nil,
        reasons: [reason].compactMap { $0 }, decision: RecordedDecision(evaluation)), at: context.now)
  }

  private func judgedWebAd(
    _ decision: ImpressionDecision, _ evaluation: RuleEvaluation, _ donation: AppStoreDonation
  ) -> JudgedAd {
    let network: String? = if case .record(let impression, _) = decision { impression.adNetworkIdentifier } else { nil }
    return JudgedAd(
      decision: decision, evaluation: evaluation, subject: Self.subject(donation, network: network), signedText: nil,
      presentation: .storeKitRendered)
  }

  private static func subject(_ donation: AppStoreDonation, network: String?) -> ImpressionSubject {
    ImpressionSubject(
      framework: .skadnetwork, sourceApp: nil, adNetworkIdentifier: network,
      advertisedAppStoreItemIdentifier: Int64(exactly: donation.itemID))
  }
}
