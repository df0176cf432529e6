import PCMDelivery
import PCMTokens

extension CheckCatalog {
  /// The rules about requests that must not be signed. They require an endpoint that signs valid requests.
  static let nonceCriteria: [Criterion] = [
    refusing(
      CheckRule(
        "used-nonces-are-refused", "A nonce is valid for one signature", .error, .draft,
        fix: "Store used nonces, and reject them."),
      .signWithUsedNonce, nonce: 0, "a request with a used nonce"),
    refusing(
      CheckRule(
        "unknown-nonces-are-refused", "A nonce that the endpoint did not mint is rejected", .error, .draft,
        fix: "Store the nonces that you mint, and reject others: the nonce is the only evidence of a user."),
      .signWithUnknownNonce, nonce: nil, "a request with an unknown nonce"),
    refusing(
      CheckRule(
        "malformed-nonces-are-refused", "A nonce that is not 16 bytes in base64url is rejected", .error, .draft,
        fix: "Return 400 unless the nonce is 16 bytes in base64url."),
      .signWithMalformedNonce, nonce: nil, "a request with a malformed nonce"),
    refusing(
      CheckRule(
        "empty-sign-requests-are-refused", "An empty object is rejected", .error, .webkit,
        fix: "Return 400 for an empty object: WebKit sends one when a page's nonce is invalid."),
      .signNothing, nonce: nil, "an empty object"),
    refusing(
      CheckRule(
        "blinded-messages-of-wrong-size-are-refused", "A blinded message of another size than the key's modulus is rejected",
        .error, .draft,
        fix: "Return 400 unless the blinded message has as many bytes as the modulus."),
      .signWrongSize, nonce: 1, "a request with a blinded message that is one byte too short"),
    refusing(
      CheckRule(
        "blinded-messages-above-the-modulus-are-refused", "A blinded message above the key's modulus is rejected", .error,
        .draft,
        fix: "Return 400 unless the blinded message, as a number, is less than the modulus."),
      .signAboveModulus, nonce: 2, "a request with a blinded message above the modulus"),
  ]

  /// - Parameter nonce: The index of the nonce that the probe uses, if any.
  private static func refusing(_ rule: CheckRule, _ probe: Probe, nonce: Int?, _ subject: String) -> Criterion {
    Criterion(
      rule, restsOn: ["valid-nonces-are-signed"], within: "sign-path-is-served", probes: [.mint, .sign, probe]
    ) { inquiry in
      if let nonce, let lack = inquiry.lack(ofNonce: nonce) { return .notApplicable(lack) }
      return .none(of: inquiry.observations[probe].whose { !$0.isRefused }, subject)
    }
  }
}

extension CheckCatalog {
  private static let signingProbes: [Probe] = [
    .sign, .signWithUsedNonce, .signWithUnknownNonce, .signWithMalformedNonce, .signNothing, .signWrongSize, .signAboveModulus,
  ]

  static let signingCriteria: [Criterion] = [
    Criterion(
      CheckRule(
        "sign-requests-are-answered", "Requests for a signature receive a complete response within 10 seconds", .error,
        .webkit,
        fix: "Respond to requests for a signature immediately, and complete the responses."),
      within: keyGate, probes: [.mint] + signingProbes
    ) { inquiry in
      // Browsers ignore the body of an error response.
      let failing = all(inquiry).whose { exchange in
        exchange.httpStatus == nil || (exchange.failure != nil && !exchange.isRefused)
          || (exchange.isAccepted && exchange.duration > inquiry.options.patience.tolerable)
      }
      return .none(of: failing, "a request for a signature")
    },
    Criterion(
      CheckRule(
        "sign-requests-are-not-redirected", "Requests for a signature are not redirected", .error, .webkit,
        fix: "Respond at /.well-known/private-click-measurement/sign-unlinkable-token/ itself."),
      within: "sign-requests-are-answered", probes: [.mint] + signingProbes
    ) { inquiry in .none(of: all(inquiry).whose { $0.isRedirect }, "a request for a signature") },
    Criterion(
      CheckRule(
        "sign-requests-are-answered-within-2-seconds", "Requests for a signature receive a response within 2 seconds",
        .warning, .ours,
        fix: "Sign immediately: a signature of 4096 bits takes a few milliseconds."),
      within: "sign-requests-are-not-redirected", probes: [.mint] + signingProbes
    ) { inquiry in slow(all(inquiry), "a request for a signature", inquiry) },
    Criterion(
      CheckRule(
        "sign-path-is-served", "Requests for a signature are accepted at the well-known path, with POST", .error, .webkit,
        fix: "Serve /.well-known/private-click-measurement/sign-unlinkable-token/ with exactly this path, and accept POST."
      ),
      within: "sign-requests-are-not-redirected", probes: [.mint] + signingProbes
    ) { inquiry in
      let sent = all(inquiry)
      // A single one may be the response for an invalid nonce.
      let isServed = sent.contains { ![404, 405, 410, 501].contains($0.exchange.httpStatus) }
      return isServed ? .passed : .none(of: sent, "every request for a signature")
    },
    Criterion(
      CheckRule(
        "valid-nonces-are-signed", "A nonce that the endpoint minted is signed", .error, .draft,
        fix: "Sign the blinded message when you minted the nonce and it is unused, and return 200."),
      within: "sign-path-is-served", probes: [.mint, .sign]
    ) { inquiry in
      if let lack = inquiry.lack(ofNonce: 0) { return .notApplicable(lack) }
      guard !inquiry.observations[.sign].isEmpty else { return .failed("the endpoint's key cannot blind a token") }
      return .none(of: inquiry.observations[.sign].whose { !$0.isAccepted }, "a request with a minted nonce")
    },
    Criterion(
      CheckRule(
        "signature-is-json", "A signature is returned as application/json", .error, .draft,
        fix: "Send the signature with Content-Type: application/json and a string unlinkable_token in base64url."),
      within: "valid-nonces-are-signed", probes: [.sign]
    ) { inquiry in
      let judgement = json("unlinkable_token", .sign, inquiry)
      guard judgement == .passed, case .failure(let fault) = inquiry.blindSignature else { return judgement }
      return .failed("the response \(fault.why)")
    },
    Criterion(
      CheckRule(
        "signature-is-as-long-as-the-key", "A blind signature has as many bytes as the key's modulus", .error, .draft,
        fix: "Keep the leading zeros of the signature: it has as many bytes as the modulus."),
      within: "signature-is-json", probes: [.key, .sign]
    ) { inquiry in
      guard let bytes = try? inquiry.blindSignature.get(), let size = inquiry.key?.modulusByteCount else { return .passed }
      return bytes.count == size
        ? .passed : .failed("the signature has \(bytes.count) bytes; the key requires \(size)")
    },
    Criterion(
      CheckRule(
        "signature-verifies", "A signature verifies with the key that the endpoint serves", .error, .draft,
        fix: "Sign with the private key of the served key and the raw RSA operation (RFC 9474, section 4.3)."),
      within: "signature-is-as-long-as-the-key", probes: [.key, .sign]
    ) { inquiry in
      guard case .failure(let refusal) = inquiry.signedToken else { return .passed }
      return .failed(refusal.detail.asClause, inquiry.observations.all(.key, .sign))
    },
  ]

  private static func all(_ inquiry: CheckContext) -> [Sent] { signingProbes.flatMap { inquiry.observations[$0] } }
}
