import PCMDelivery
import PCMTokens

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

  private static func all(_ inquiry: Inquiry) -> [Sent] { signingProbes.flatMap { inquiry.observations[$0] } }
}
