import PCMDelivery
import PCMTokens

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

extension CheckCatalog {
  private static let signingProbes: [Probe] = [
    .sign, .signWithUsedNonce, .signWithUnknownNonce, .signWithMalformedNonce, .signNothing, .signWrongSize, .signAboveModulus,
  ]

  static let signingCriteria: [Criterion] = [
    Criterion(
      CheckRule(
        "sign-requests-are-answered", "Requests for a signature have a whole answer within 10 seconds", .error, .webkit,
        fix: "Let the server answer requests for a signature at once, and end its answers in order."),
      within: keyGate, probes: [.mint] + signingProbes
    ) { inquiry in
      // The end of a refusal tells a browser nothing.
      let failing = all(inquiry).whose { exchange in
        exchange.httpStatus == nil || (exchange.failure != nil && !exchange.isRefused)
          || (exchange.isAccepted && exchange.duration > inquiry.options.patience.tolerable)
      }
      return .none(of: failing, "a request for a signature")
    },
    Criterion(
      CheckRule(
        "sign-requests-are-not-redirected", "Requests for a signature are not redirected", .error, .webkit,
        fix: "Sign at /.well-known/private-click-measurement/sign-unlinkable-token/ itself."),
      within: "sign-requests-are-answered", probes: [.mint] + signingProbes
    ) { inquiry in .none(of: all(inquiry).whose { $0.isRedirect }, "a request for a signature") },
    Criterion(
      CheckRule(
        "sign-requests-are-answered-within-2-seconds", "Requests for a signature are answered within 2 seconds", .warning,
        .ours,
        fix: "Sign at once: a signature of 4096 bits takes some milliseconds."),
      within: "sign-requests-are-not-redirected", probes: [.mint] + signingProbes
    ) { inquiry in slow(all(inquiry), "a request for a signature", inquiry) },
    Criterion(
      CheckRule(
        "sign-path-is-served", "Signatures can be asked for at the well-known path, with POST", .error, .webkit,
        fix: "Serve /.well-known/private-click-measurement/sign-unlinkable-token/ with exactly this path, and let it take POST."
      ),
      within: "sign-requests-are-not-redirected", probes: [.mint] + signingProbes
    ) { inquiry in
      let sent = all(inquiry)
      // A single one may be said of a nonce.
      let isServed = sent.contains { ![404, 405, 410, 501].contains($0.exchange.httpStatus) }
      return isServed ? .passed : .none(of: sent, "every request for a signature")
    },
    Criterion(
      CheckRule(
        "valid-nonces-are-signed", "A nonce that the endpoint minted has its signature", .error, .draft,
        fix: "Sign the blinded message when the nonce is one of yours and was not used yet, and answer 200."),
      within: "sign-path-is-served", probes: [.mint, .sign]
    ) { inquiry in
      if let lack = inquiry.lack(ofNonce: 0) { return .notApplicable(lack) }
      guard !inquiry.observations[.sign].isEmpty else { return .failed("nothing can be blinded with the endpoint's key") }
      return .none(of: inquiry.observations[.sign].whose { !$0.isAccepted }, "a request with a nonce of the endpoint's")
    },
    Criterion(
      CheckRule(
        "signature-is-json", "A signature comes as application/json", .error, .draft,
        fix: "Send the signature as Content-Type: application/json, with a text unlinkable_token in base64url."),
      within: "valid-nonces-are-signed", probes: [.sign]
    ) { inquiry in
      let judgement = json("unlinkable_token", .sign, inquiry)
      guard judgement == .passed, case .failure(let fault) = inquiry.blindSignature else { return judgement }
      return .failed("the answer \(fault.why)")
    },
    Criterion(
      CheckRule(
        "signature-is-as-long-as-the-key", "A blind signature has as many bytes as the key's modulus", .error, .draft,
        fix: "Write the signature with its leading zeros: as many bytes as the modulus has."),
      within: "signature-is-json", probes: [.key, .sign]
    ) { inquiry in
      guard let bytes = try? inquiry.blindSignature.get(), let size = inquiry.key?.modulusByteCount else { return .passed }
      return bytes.count == size
        ? .passed : .failed("the signature's size in bytes is \(bytes.count); with this key it is \(size)")
    },
    Criterion(
      CheckRule(
        "signature-verifies", "A signature verifies with the key that the endpoint serves", .error, .draft,
        fix: "Sign with the private part of the key that you serve, by the raw RSA operation (RFC 9474, section 4.3)."),
      within: "signature-is-as-long-as-the-key", probes: [.key, .sign]
    ) { inquiry in
      guard case .failure(let refusal) = inquiry.signedToken else { return .passed }
      return .failed(refusal.detail.asClause, inquiry.observations.all(.key, .sign))
    },
  ]

  private static func all(_ inquiry: CheckContext) -> [Sent] { signingProbes.flatMap { inquiry.observations[$0] } }
}
