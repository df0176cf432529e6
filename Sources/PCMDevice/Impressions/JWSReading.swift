internal import PCMCore
internal import PCMSignatures

/// A compact JSON Web Signature as the device reads it: its parts, the ad network that its header names, and the verifier's
/// findings.
struct JWSReading: Sendable {
  let jws: CompactJWS?
  let error: JWSError?
  let network: AdNetwork?
  /// Nil without a registered network.
  private let verdict: SignatureVerdict?

  init(_ text: String, networks: AdNetworkRegistry) {
    do {
      (jws, error) = (try CompactJWS(text), nil)
    } catch {
      (jws, self.error) = (nil, error)
    }
    network = jws.flatMap { networks[$0.keyIdentifier] }
    verdict = jws == nil ? nil : network?.verdict(on: Array(text.utf8))
  }

  var keyIdentifier: String { jws?.keyIdentifier ?? "" }

  /// The header and the payload as JSON, which the ad network signs in Base64URL.
  var signedText: String? { jws.map { "\($0.header.text).\($0.payload.text)" } }

  var verifies: Bool { verdict?.check == .verifies }
  var fix: String? { verdict?.fix }

  /// The first finding about the header.
  var headerFault: String? { fault("/header") }

  /// The first finding about the payload.
  var payloadFault: String? {
    guard let jws, jws.payload["impression-identifier"] != nil else {
      return "impression-identifier is missing; it must be a UUID."
    }
    return fault("/payload")
  }

  private func fault(_ prefix: String) -> String? { verdict?.faults.first { $0.pointer.hasPrefix(prefix) }?.detail }

  /// The values of a payload without findings.
  var impression: AdAttributionKitImpression? {
    guard let payload = jws?.payload, let identifier = payload["impression-identifier"]?.string,
      let publisher = payload["publisher-item-identifier"]?.integer, let network = payload["ad-network-identifier"]?.string,
      let source = payload["source-identifier"]?.integer, let item = payload["advertised-item-identifier"]?.integer,
      let timestamp = payload["timestamp"]?.integer
    else { return nil }
    return AdAttributionKitImpression(
      impressionIdentifier: identifier, publisherItemIdentifier: publisher, adNetworkIdentifier: network,
      sourceIdentifier: source, advertisedItemIdentifier: item, timestamp: timestamp,
      isEligibleForReengagement: payload["eligible-for-re-engagement"].map { $0 == .bool(true) })
  }
}

/// The parts of a JSON Web Signature for which AdAttributionKit has errors.
package enum JWSFaultPart: Hashable, Sendable {
  case components
  case header
  case payload
  case signature

  init(_ error: JWSError) {
    switch error {
    case .tooLarge, .wrongPartCount: self = .components
    case .missingAlgorithm, .wrongAlgorithm, .criticalExtension, .missingKeyIdentifier: self = .header
    case .wrongSignatureSize: self = .signature
    case .notBase64URL(let part), .notAnObject(let part): self.init(part)
    }
  }

  private init(_ part: JWSError.Part) {
    switch part {
    case .header: self = .header
    case .payload: self = .payload
    case .signature: self = .signature
    }
  }
}
