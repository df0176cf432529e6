package import PCMCore
package import PCMCrypto

/// The ad of a test ad network on web pages, whose values the endpoint signs (SKAdNetwork reference, section 2.3).
package struct WebAd: Hashable, Sendable {
  package let adNetworkIdentifier: String
  /// 0 to 9999.
  package let sourceIdentifier: Int64
  /// The advertised app: the target of the ad's link.
  package let itemIdentifier: Int64

  package init(
    adNetworkIdentifier: String = "example123.skadnetwork", sourceIdentifier: Int64 = 5239,
    itemIdentifier: Int64 = 525_463_029
  ) {
    self.adNetworkIdentifier = adNetworkIdentifier
    self.sourceIdentifier = sourceIdentifier
    self.itemIdentifier = itemIdentifier
  }

  /// Returns the response to a device.
  ///
  /// - Parameters:
  ///   - now: The time to sign.
  ///   - fault: A fault in the values. The signature matches a wrong nonce and a wrong domain, so that a device finds no
  ///     other fault.
  package func payload(
    for request: SignedPayloadRequest, at now: Instant, signedBy key: PrivateKey, fault: InjectedFault.Kind? = nil
  ) throws(RequestError) -> JSON {
    let impression = SKAdNetworkImpression(
      version: .v4, adNetworkIdentifier: adNetworkIdentifier, campaign: .source(String(sourceIdentifier)),
      itemIdentifier: itemIdentifier, nonce: fault == .wrongNonce ? Forgery.nonce(request.nonce) : request.nonce,
      source: .site(fault == .wrongSourceDomain ? "elsewhere.example" : request.sourceDomain), fidelity: .storeKitRendered,
      timestamp: now.milliseconds)
    let signature: String
    do throws(SigningError) {
      signature = try impression.signature(by: key)
    } catch {
      throw RequestError(.keyUnusable, error.detail)
    }
    let sent = Base64.encode(Forgery.signature(Base64.decode(signature) ?? [], fault))
    let payload = impression.webAdResponse(signature: sent)
    guard fault == .wrongVersion else { return payload }
    return .object(payload.members.map { $0.name == "version" ? .init("version", "3.0") : $0 })
  }
}
