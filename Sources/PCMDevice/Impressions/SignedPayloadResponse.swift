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
  /// The values of the payload with the verifier's findings; nil without a registered network.
  private let reading: ImpressionVerdict<SKAdNetworkImpression>?
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
    reading = network?.verdict(onImpression: payload?.members ?? [])
  }

  package static let rules: [Rule<SignedPayloadResponse, WebAdRejection>] = formRules + valueRules

  private static let formRules: [Rule<SignedPayloadResponse, WebAdRejection>] = [
    Rule("payload-response-is-200", inputs: ["status": { .number(Int64($0.status)) }]) { response in
      response.status == 200 ? nil : .payloadStatus(response.status)
    },
    Rule("payload-content-type-is-json", inputs: ["contentType": { .shown($0.contentType) }]) { response in
      response.isJSONContentType ? nil : .payloadContentType(response.contentType)
    },
    Rule("payload-is-a-json-object", inputs: ["body": { $0.payload?.shown() ?? .null }]) { response in
      if case .object = response.payload { return nil }
      return .payloadNotObject
    },
    Rule("payload-version-is-4-0", inputs: ["version": { $0.member("version").shown() }]) { response in
      response.member("version") == "4.0" ? nil : .payloadVersion(response.member("version").text)
    },
    Rule(
      "ad-network-is-registered",
      inputs: ["adNetworkIdentifier": { $0.member("ad_network_id").shown() }, "registered": { .bool($0.network != nil) }]
    ) { response in
      response.network == nil ? .networkNotRegistered(response.text("ad_network_id")) : nil
    },
    Rule("payload-values-are-valid", inputs: ["faults": { .shown($0.faults.map(\.json)) }]) { response in
      response.faults.first.map { .payloadInvalid($0.detail) }
    },
  ]

  private static let valueRules: [Rule<SignedPayloadResponse, WebAdRejection>] = [
    Rule(
      "payload-advertises-linked-app",
      inputs: [
        "itunes_item_id": { $0.member("itunes_item_id").shown() },
        "linkedItemIdentifier": { .string(String($0.request.donation.itemID)) },
      ]
    ) { response in
      response.mismatch("itunes_item_id", String(response.request.donation.itemID))
    },
    Rule(
      "payload-nonce-is-requested",
      inputs: ["nonce": { $0.member("nonce").shown() }, "requestedNonce": { .shown($0.request.nonce) }]
    ) { response in
      response.mismatch("nonce", response.request.nonce)
    },
    Rule(
      "payload-source-domain-is-requested",
      inputs: [
        "source_domain": { $0.member("source_domain").shown() },
        "requestedSourceDomain": { .shown($0.request.sourceDomain) },
      ]
    ) { response in
      response.mismatch("source_domain", response.request.sourceDomain)
    },
    Rule(
      "payload-signature-verifies",
      inputs: ["signedText": { .shown($0.reading?.verdict.signedText?.visible, upTo: ShownSize.signedText) }]
    ) { response in
      guard let verdict = response.reading?.verdict, verdict.check != .verifies else { return nil }
      return .payloadSignatureInvalid(verdict.signedText?.visible ?? "", verdict.remedy)
    },
  ]

  /// Decides whether the click counts. Its time is the click's time, and not the response's.
  package func decide(_ evaluation: inout RuleEvaluation) -> ImpressionDecision {
    let violation = evaluation.firstViolation(of: Self.rules, to: self)
    guard violation == nil, let impression = reading?.impression else {
      return .reject(.webAd(violation ?? .payloadNotObject))
    }
    let signed = SignedImpression.skAdNetwork(impression)
    let recorded = AdImpression(
      signed: signed, interaction: .click, sourceApp: nil, sourceSDK: nil, isDevelopment: request.isDevelopment,
      recordedAt: request.clickedAt)
    return .record(recorded, ImpressionNote.all(signed, isDevelopment: request.isDevelopment, at: request.clickedAt))
  }

  private func member(_ name: String) -> JSON { payload?[name] ?? .null }

  /// A string, or the JSON of another value.
  private func text(_ name: String) -> String { member(name).string ?? member(name).text }

  private var isJSONContentType: Bool {
    let mediaType = contentType?.split(separator: ";", omittingEmptySubsequences: false).first ?? ""
    return mediaType.filter { $0 != " " && $0 != "\t" }.lowercased() == "application/json"
  }

  /// What is wrong with the members, apart from a signature that does not verify.
  private var faults: [Fault] {
    guard let verdict = reading?.verdict else { return [] }
    return verdict.faults.filter { verdict.check != .fails || $0.pointer != "/signature" }
  }

  private func mismatch(_ name: String, _ expected: String) -> WebAdRejection? {
    let found = text(name)
    return found == expected ? nil : .payloadMismatch(member: name, found: found, expected: expected)
  }
}
