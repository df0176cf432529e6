import PCMCore
import PCMCrypto
import PCMNetwork

extension CheckCatalog {
  /// The rules about requests that an endpoint must not sign. They require an endpoint that signs valid requests.
  static let nonceCriteria: [Criterion] = [
    CheckRule(
      "used-nonces-are-refused", "A nonce is valid for one signature", .error, .tokens,
      fix: "Store used nonces, and reject them."
    ).rejecting(.signWithUsedNonce, nonce: 0, "a request with a used nonce"),
    CheckRule(
      "unknown-nonces-are-refused", "A nonce that the endpoint did not mint is rejected", .error, .tokens,
      fix: "Store the nonces that you mint, and reject others: the nonce is the only evidence of a user."
    ).rejecting(.signWithUnknownNonce, nonce: nil, "a request with an unknown nonce"),
    CheckRule(
      "malformed-nonces-are-refused", "A nonce that is not 16 bytes in base64url is rejected", .error, .tokens,
      fix: "Return 400 unless the nonce is 16 bytes in base64url."
    ).rejecting(.signWithMalformedNonce, nonce: nil, "a request with a malformed nonce"),
    CheckRule(
      "empty-sign-requests-are-refused", "An empty object is rejected", .error, .webkit("PrivateClickMeasurement.cpp"),
      fix: "Return 400 for an empty object: WebKit sends one when a page's nonce is invalid."
    ).rejecting(.signNothing, nonce: nil, "an empty object"),
    CheckRule(
      "blinded-messages-of-wrong-size-are-refused", "A blinded message of another size than the key's modulus is rejected",
      .error, .draft("RFC 9474, section 4.3"),
      fix: "Return 400 unless the blinded message has as many bytes as the modulus."
    ).rejecting(.signWrongSize, nonce: 1, "a request with a blinded message that is one byte too short"),
    CheckRule(
      "blinded-messages-above-the-modulus-are-refused", "A blinded message above the key's modulus is rejected", .error,
      .draft("RFC 9474, section 4.3"),
      fix: "Return 400 unless the blinded message, as a number, is less than the modulus."
    ).rejecting(.signAboveModulus, nonce: 2, "a request with a blinded message above the modulus"),
  ]
}

extension CheckRule {
  /// - Parameter nonce: The index of the nonce that the probe uses, if any.
  fileprivate func rejecting(_ probe: Probe, nonce: Int?, _ subject: String) -> Criterion {
    criterion(
      restsOn: ["valid-nonces-are-signed"], within: "sign-path-is-served", probes: [.mint, .sign, probe]
    ) { context in
      if let nonce, let lack = context.lack(ofNonce: nonce) { return .notApplicable(lack) }
      return .none(of: context.observations[probe].whose { !$0.isRejected }, subject)
    }
  }
}

extension CheckCatalog {
  private static let signingProbes: [Probe] = [
    .sign, .signWithUsedNonce, .signWithUnknownNonce, .signWithMalformedNonce, .signNothing, .signWrongSize, .signAboveModulus,
  ]

  static let signingCriteria: [Criterion] = [
    CheckRule(
      "sign-requests-are-answered", "Requests for a signature receive a complete response", .error,
      .webkit("PrivateClickMeasurementManager.cpp"),
      fix: "Respond to requests for a signature immediately, and complete the responses."
    ).criterion(within: keyGate, probes: [.mint] + signingProbes) { context in
      // Browsers ignore the body of an error response.
      let failing = all(context).whose { exchange in
        exchange.httpStatus == nil || (exchange.failure != nil && !exchange.isRejected)
      }
      return .none(of: failing, "a request for a signature")
    },
    CheckRule(
      "sign-requests-are-not-redirected", "Requests for a signature are not redirected", .error,
      .webkit("PrivateClickMeasurementNetworkLoaderCocoa.mm"),
      fix: "Respond at /.well-known/private-click-measurement/sign-unlinkable-token/ itself."
    ).criterion(within: "sign-requests-are-answered", probes: [.mint] + signingProbes) { context in
      .none(of: all(context).whose { $0.isRedirect }, "a request for a signature")
    },
    CheckRule(
      "sign-requests-are-answered-within-2-seconds", "Requests for a signature receive a response within 2 seconds",
      .warning, .advice,
      fix: "Sign immediately: a signature of 4096 bits takes a few milliseconds."
    ).criterion(within: "sign-requests-are-not-redirected", probes: [.mint] + signingProbes) { context in
      slow(all(context), "a request for a signature", context)
    },
    CheckRule(
      "sign-path-is-served", "Requests for a signature are accepted at the well-known path, with POST", .error,
      .webkit("PrivateClickMeasurementManager.cpp"),
      fix: "Serve /.well-known/private-click-measurement/sign-unlinkable-token/ with exactly this path, and accept POST."
    ).criterion(within: "sign-requests-are-not-redirected", probes: [.mint] + signingProbes) { context in
      let sent = all(context)
      // A single request may have received the response for an invalid nonce.
      let isServed = sent.contains { ![404, 405, 410, 501].contains($0.exchange.httpStatus) }
      return isServed ? .passed : .none(of: sent, "every request for a signature")
    },
    CheckRule(
      "valid-nonces-are-signed", "A nonce that the endpoint minted is signed", .error, .tokens,
      fix: "Sign the blinded message when you minted the nonce and it is unused, and return 200."
    ).criterion(within: "sign-path-is-served", probes: [.mint, .sign]) { context in
      if let lack = context.lack(ofNonce: 0) { return .notApplicable(lack) }
      guard !context.observations[.sign].isEmpty else { return .failed("the endpoint's key cannot blind a token") }
      return .none(of: context.observations[.sign].whose { !$0.isAccepted }, "a request with a minted nonce")
    },
    CheckRule(
      "signature-is-json", "A signature is returned as application/json", .error, .tokens,
      fix: "Send the signature with Content-Type: application/json and a string unlinkable_token in base64url."
    ).criterion(within: "valid-nonces-are-signed", probes: [.sign]) { context in
      let evaluation = json("unlinkable_token", .sign, context)
      guard evaluation == .passed, case .failure(let error) = context.blindSignature else { return evaluation }
      return .failed("the response \(error.why)")
    },
    CheckRule(
      "signature-is-as-long-as-the-key", "A blind signature has as many bytes as the key's modulus", .error, .draft("RFC 9474"),
      fix: "Keep the leading zeros of the signature: it has as many bytes as the modulus."
    ).criterion(within: "signature-is-json", probes: [.key, .sign]) { context in
      guard let bytes = try? context.blindSignature.get(), let byteCount = context.key?.modulusByteCount else { return .passed }
      return bytes.count == byteCount
        ? .passed : .failed("the signature has \(bytes.count) bytes; the key requires \(byteCount)")
    },
    CheckRule(
      "signature-verifies", "A signature verifies with the key that the endpoint serves", .error,
      .draft("RFC 9474, section 4.3"),
      fix: "Sign with the private key of the served key and the raw RSA operation (RFC 9474, section 4.3)."
    ).criterion(within: "signature-is-as-long-as-the-key", probes: [.key, .sign]) { context in
      guard case .failure(let error) = context.signedToken else { return .passed }
      return .failed(error.detail.asClause, context.observations.all(.key, .sign))
    },
  ]

  private static func all(_ context: CheckContext) -> [Sent] { signingProbes.flatMap { context.observations[$0] } }
}
