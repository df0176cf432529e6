package import PCMCore
internal import PCMCrypto
internal import PCMVerify

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

  package static let rules: [Rule<SignedPayloadResponse>] = formRules + valueRules

  private static let formRules: [Rule<SignedPayloadResponse>] = [
    Rule(
      "payload-response-is-200",
      "The ad network responds with status 200. Any other status has no signed values.", .webAds,
      reasons: ["payload-status": "respond with status 200 and the signed values"],
      inputs: ["status": { .number(Int64($0.status)) }]
    ) { response in
      guard response.status != 200 else { return nil }
      return Violation(
        "payload-status", "the ad network responded with status \(response.status), not with 200")
    },
    Rule(
      "payload-content-type-is-json",
      "The response is application/json. Parameters of the content type are allowed.", .webAds,
      reasons: ["payload-content-type": "respond with Content-Type: application/json"],
      inputs: ["contentType": { .shown($0.contentType) }]
    ) { response in
      guard !response.isJSONContentType else { return nil }
      let type = response.contentType.map { "the content type \($0.shown)" } ?? "no content type"
      return Violation(
        "payload-content-type", "the response has \(type), not application/json")
    },
    Rule(
      "payload-is-a-json-object", "The response is a JSON object. Its members are the signed values.", .webAds,
      reasons: ["payload-not-an-object": "respond with a JSON object"],
      inputs: ["body": { $0.payload?.shown() ?? .null }]
    ) { response in
      if case .object = response.payload { nil } else { notAnObject }
    },
    Rule(
      "payload-version-is-4-0", "The version is \"4.0\". No other version has web ads.", .webAds,
      reasons: ["payload-version": "respond with \"version\":\"4.0\", and sign it"],
      inputs: ["version": { $0.member("version").shown() }]
    ) { response in
      guard response.member("version") != "4.0" else { return nil }
      return Violation(
        "payload-version", "version is \(response.member("version").text.shown), and web ads have version \"4.0\"")
    },
    Rule(
      .adNetworkIsRegistered,
      inputs: ["adNetworkIdentifier": { $0.member("ad_network_id").shown() }, "registered": { .bool($0.network != nil) }]
    ) { response in
      guard response.network == nil else { return nil }
      return .adNetworkNotRegistered(
        response.text("ad_network_id"), change: "respond with the ad_network_id of a registered ad network")
    },
    Rule(
      "payload-values-are-valid", "The response has all members with their types. The nonce is a UUID in lower case.",
      .webAds, reasons: ["payload-invalid": "correct this member of the response"],
      inputs: ["faults": { .shown($0.faults.map(\.json)) }]
    ) { response in
      response.faults.first.map {
        Violation("payload-invalid", $0.detail.asFragment)
      }
    },
  ]

  private static let notAnObject = Violation(
    "payload-not-an-object", "the response is not a JSON object", change: "respond with a JSON object")

  private static let valueRules: [Rule<SignedPayloadResponse>] = [
    Rule(
      "payload-advertises-linked-app", "The signed app is the linked one. itunes_item_id equals the number in the link.",
      .webAds, reasons: ["payload-mismatch": "respond with the value that the click requests, and sign it"],
      inputs: [
        "itunes_item_id": { $0.member("itunes_item_id").shown() },
        "linkedItemIdentifier": { .string(String($0.request.donation.itemID)) },
      ]
    ) { response in
      response.mismatch("itunes_item_id", String(response.request.donation.itemID))
    },
    Rule(
      "payload-nonce-is-requested",
      "The signed nonce is the requested one. The request has the 16 bytes in Base64URL, the response as a UUID.",
      .webAds, reasons: ["payload-mismatch": "respond with the value that the click requests, and sign it"],
      inputs: ["nonce": { $0.member("nonce").shown() }, "requestedNonce": { .shown($0.request.nonce) }]
    ) { response in
      response.mismatch("nonce", response.request.nonce)
    },
    Rule(
      "payload-source-domain-is-requested",
      "The signed source domain is the requested one. Whether it is the displaying site or the ad network is a setting.",
      .assumption("Apple's pages name the ad network's site and the displaying site; a setting selects one"),
      reasons: ["payload-mismatch": "respond with the value that the click requests, and sign it"],
      inputs: [
        "source_domain": { $0.member("source_domain").shown() },
        "requestedSourceDomain": { .shown($0.request.sourceDomain) },
      ]
    ) { response in
      response.mismatch("source_domain", response.request.sourceDomain)
    },
    Rule(
      "payload-signature-verifies",
      "The signature verifies with the ad network's key. The fidelity type 1 is signed and not sent.", .webAds,
      reasons: [
        "signature-invalid":
          "sign the text with U+2063 between the values, with the private key that belongs to the registered key"
      ],
      inputs: ["signedText": { .shown($0.reading?.verdict.signedText?.visible, upTo: ShownSize.signedText) }]
    ) { response in
      guard let verdict = response.reading?.verdict, verdict.check != .verifies else { return nil }
      return .signatureInvalid(over: verdict.signedText?.visible ?? "", verdict.remedy)
    },
  ]

  /// Decides whether the click counts. Its time is the time of the click, not of the response.
  package func decide(_ evaluation: inout RuleEvaluation) -> ImpressionDecision {
    let violation = evaluation.firstViolation(of: Self.rules, to: self)
    guard violation == nil, let impression = reading?.impression else { return .reject(violation ?? Self.notAnObject) }
    let ad = AdImpression(
      signed: .skAdNetwork(impression), interaction: .click, sourceApp: nil, sourceSDK: nil,
      isDevelopment: request.isDevelopment, recordedAt: request.clickedAt)
    return .record(ad, ad.notes(at: request.clickedAt))
  }

  private func member(_ name: String) -> JSON { payload?[name] ?? .null }

  /// Returns a string, or the JSON text of another value.
  private func text(_ name: String) -> String { member(name).string ?? member(name).text }

  private var isJSONContentType: Bool {
    let mediaType = contentType?.split(separator: ";", omittingEmptySubsequences: false).first ?? ""
    return mediaType.filter { $0 != " " && $0 != "\t" }.lowercased() == "application/json"
  }

  /// The errors of the members, except for a signature that does not verify.
  private var faults: [Fault] {
    guard let verdict = reading?.verdict else { return [] }
    return verdict.faults.filter { verdict.check != .fails || $0.pointer != "/signature" }
  }

  private func mismatch(_ name: String, _ expected: String) -> Violation? {
    let found = text(name)
    guard found != expected else { return nil }
    return Violation(
      "payload-mismatch", "\(name) is \(found.shown), and the click is for \(expected)",
      change: "respond with \(expected) as \(name), and sign it")
  }
}
