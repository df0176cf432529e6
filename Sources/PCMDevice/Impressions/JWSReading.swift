internal import PCMCore
internal import PCMCrypto
internal import PCMVerify

/// The device's reading of a compact JSON Web Signature: its parts, the ad network in its header, and the verifier's
/// findings.
package struct JWSReading: Sendable {
  package let text: String
  let jws: CompactJWS?
  let error: JWSError?
  let network: AdNetwork?
  /// The values of the payload with the verifier's findings; nil without a registered network.
  private let reading: ImpressionVerdict<AdAttributionKitImpression>?

  package init(_ text: String, networks: AdNetworkRegistry) {
    self.text = text
    do {
      (jws, error) = (try CompactJWS(text), nil)
    } catch {
      (jws, self.error) = (nil, error)
    }
    let registered = jws.flatMap { networks[$0.keyIdentifier] }
    network = registered
    reading = jws.flatMap { registered?.verdict(onImpression: $0) }
  }

  var keyIdentifier: String { jws?.keyIdentifier ?? "" }

  /// The header and the payload as JSON. The ad network signs them in Base64URL.
  var signedText: String? { jws.map { "\($0.header.text).\($0.payload.text)" } }

  /// Whether the verifier finds no error.
  var verifies: Bool { reading?.verdict.outcome == .valid }
  var remedy: SignatureRemedy? { reading?.verdict.remedy }

  /// The verifier's sentences about members that the device ignores.
  var notes: [String] { reading?.verdict.notes.map(\.detail) ?? [] }

  /// The error of the ad network in the header.
  var headerFault: String? { jws?.networkFault?.detail }

  /// The first finding about the payload.
  var payloadFault: String? { fault("/payload") }

  private func fault(_ prefix: String) -> String? {
    reading?.verdict.faults.first { $0.pointer.hasPrefix(prefix) }?.detail
  }

  /// The values of the payload; nil if one is missing or unusable.
  var impression: AdAttributionKitImpression? { reading?.impression }
}
