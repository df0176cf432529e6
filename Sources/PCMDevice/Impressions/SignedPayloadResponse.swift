package import PCMCore
internal import PCMSignatures

/// The response of an ad network to the request for the signed values of a web ad (SKAdNetwork reference, section 2.3).
package struct SignedPayloadResponse: Sendable {
  package let request: SignedPayloadRequest
  package let status: Int
  package let contentType: String?
  /// The body; nil if it is not JSON.
  private let payload: JSON?
  private let network: AdNetwork?
  /// The verifier's findings; nil without a registered network.
  private let verdict: SignatureVerdict?
  package let device: Device

  package init(
    to request: SignedPayloadRequest, status: Int, contentType: String?, body: [UInt8], networks: AdNetworkRegistry,
    device: Device
  ) {
    self.request = request
    self.status = status
    self.contentType = contentType
    self.device = device
    payload = JSON(parsing: body, keepingNumbers: true)
    network = payload?["ad_network_id"]?.string.flatMap { networks[$0] }
    verdict = network?.verdict(on: body)
  }

  package static let rules: [Rule<SignedPayloadResponse, WebAdRejection>] = formRules + valueRules

  private static let formRules: [Rule<SignedPayloadResponse, WebAdRejection>] = [
    Rule("payload-response-is-200", inputs: ["status": { .number(Int64($0.status)) }]) { response in
      response.status == 200 ? nil : .payloadStatus(response.status)
    },
    Rule("payload-content-type-is-json", inputs: ["contentType": { .string($0.contentType) }]) { response in
      response.isJSONContentType ? nil : .payloadContentType(response.contentType)
    },
    Rule("payload-is-a-json-object", inputs: ["body": { $0.payload ?? .null }]) { response in
      if case .object = response.payload { return nil }
      return .payloadNotObject
    },
    Rule("payload-version-is-4-0", inputs: ["version": { $0.member("version") }]) { response in
      response.member("version") == "4.0" ? nil : .payloadVersion(response.member("version").text)
    },
    Rule(
      "ad-network-is-registered",
      inputs: ["adNetworkIdentifier": { $0.member("ad_network_id") }, "registered": { .bool($0.network != nil) }]
    ) { response in
      response.network == nil ? .networkNotRegistered(response.member("ad_network_id").text) : nil
    },
    Rule("payload-values-are-valid", inputs: ["faults": { .array($0.faults.map(\.json)) }]) { response in
      response.faults.first.map { .payloadInvalid($0.detail) }
    },
  ]

  private static let valueRules: [Rule<SignedPayloadResponse, WebAdRejection>] = [
    Rule(
      "payload-advertises-linked-app",
      inputs: [
        "itunes_item_id": { $0.member("itunes_item_id") },
        "linkedItemIdentifier": { .string(String($0.request.donation.itemID)) },
      ]
    ) { response in
      response.mismatch("itunes_item_id", String(response.request.donation.itemID))
    },
    Rule(
      "payload-nonce-is-requested",
      inputs: ["nonce": { $0.member("nonce") }, "requestedNonce": { .string($0.request.nonce) }]
    ) { response in
      response.mismatch("nonce", response.request.nonce ?? "")
    },
    Rule(
      "payload-source-domain-is-requested",
      inputs: ["source_domain": { $0.member("source_domain") }, "requestedSourceDomain": { .string($0.request.sourceDomain) }]
    ) { response in
      response.mismatch("source_domain", response.request.sourceDomain)
    },
    Rule("payload-signature-verifies", inputs: ["signedText": { .string($0.verdict?.signedText?.visible) }]) { response in
      guard let verdict = response.verdict, verdict.check != .verifies else { return nil }
      return .payloadSignatureInvalid(verdict.signedText?.visible ?? "", fix: verdict.fix)
    },
  ]

  /// Decides whether the click counts. Its time is that of the click and not of the response.
  package func decide(_ evaluation: inout RuleEvaluation) -> ImpressionDecision {
    if let violation = evaluation.firstViolation(of: Self.rules, to: self) { return .reject(.webAd(violation)) }
    guard let impression else { return .reject(.webAd(.payloadNotObject)) }
    let signed = SignedImpression.skAdNetwork(impression)
    let recorded = AdImpression(
      signed: signed, interaction: .click, sourceApp: nil, sourceSDK: nil, isDevelopment: request.isDevelopment,
      recordedAt: request.clickedAt)
    return .record(recorded, ImpressionNote.all(signed, isDevelopment: request.isDevelopment, at: request.clickedAt))
  }

  private func member(_ name: String) -> JSON { payload?[name] ?? .null }

  private var isJSONContentType: Bool {
    let mediaType = contentType?.split(separator: ";", omittingEmptySubsequences: false).first ?? ""
    return mediaType.filter { $0 != " " && $0 != "\t" }.lowercased() == "application/json"
  }

  /// What is wrong with the members, apart from a signature that does not verify.
  private var faults: [Fault] {
    (verdict?.faults ?? []).filter { verdict?.check != .fails || $0.pointer != "/signature" }
  }

  private func mismatch(_ name: String, _ expected: String) -> WebAdRejection? {
    let found = member(name).string ?? member(name).text
    return found == expected ? nil : .payloadMismatch(member: name, found: found, expected: expected)
  }

  private var impression: SKAdNetworkImpression? {
    guard let network = member("ad_network_id").string, let nonce = member("nonce").string,
      let source = member("source_identifier").integer, let item = member("itunes_item_id").integer,
      let domain = member("source_domain").string, let timestamp = member("timestamp").integer
    else { return nil }
    return SKAdNetworkImpression(
      version: .v4, adNetworkIdentifier: network, campaign: .source(String(source)), itemIdentifier: item, nonce: nonce,
      source: .site(domain), fidelity: .storeKitRendered, timestamp: timestamp)
  }
}
