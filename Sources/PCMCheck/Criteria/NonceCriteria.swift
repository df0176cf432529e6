import PCMDelivery

extension CheckCatalog {
  /// What is not signed. An endpoint that signs nothing at all says nothing by that.
  static let nonceCriteria: [Criterion] = [
    refusing(
      CheckRule(
        "used-nonces-are-refused", "A nonce is good for one signature", .error, .draft,
        fix: "Remember which nonces had their signature, and refuse them from then on."),
      .signWithUsedNonce, nonce: 0, "a request with a nonce that was used"),
    refusing(
      CheckRule(
        "unknown-nonces-are-refused", "A nonce that the endpoint never minted has no signature", .error, .draft,
        fix: "Keep the nonces that you mint, and sign for no others: the nonce is all that says that a user was there."),
      .signWithUnknownNonce, nonce: nil, "a request with a nonce that nobody minted"),
    refusing(
      CheckRule(
        "malformed-nonces-are-refused", "What is not 16 bytes in base64url is refused as a nonce", .error, .draft,
        fix: "Answer 400 unless the nonce is 16 bytes in base64url."),
      .signWithMalformedNonce, nonce: nil, "a request with a malformed nonce"),
    refusing(
      CheckRule(
        "empty-sign-requests-are-refused", "An empty object has no signature", .error, .webkit,
        fix: "Answer 400 to an empty object: WebKit sends one when a page's nonce is wrong."),
      .signNothing, nonce: nil, "an empty object"),
    refusing(
      CheckRule(
        "blinded-messages-of-wrong-size-are-refused", "A blinded message has as many bytes as the key's modulus", .error,
        .draft,
        fix: "Answer 400 unless the blinded message has as many bytes as the modulus."),
      .signWrongSize, nonce: 1, "a request with a blinded message that is a byte too short"),
    refusing(
      CheckRule(
        "blinded-messages-above-the-modulus-are-refused", "A blinded message is below the key's modulus", .error, .draft,
        fix: "Answer 400 unless the blinded message, as a number, is below the modulus."),
      .signAboveModulus, nonce: 2, "a request with a blinded message above the modulus"),
  ]

  /// - Parameter nonce: which of the nonces it takes, if any.
  private static func refusing(_ rule: CheckRule, _ probe: Probe, nonce: Int?, _ subject: String) -> Criterion {
    Criterion(
      rule, restsOn: ["valid-nonces-are-signed"], within: "sign-path-is-served", probes: [.mint, .sign, probe]
    ) { inquiry in
      if let nonce, let lack = inquiry.lack(ofNonce: nonce) { return .notApplicable(lack) }
      return .none(of: inquiry.observations[probe].whose { !$0.isRefused }, subject)
    }
  }
}
