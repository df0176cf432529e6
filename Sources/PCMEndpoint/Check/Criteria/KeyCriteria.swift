import PCMCore
import PCMCrypto
import PCMNetwork

extension CheckCatalog {
  /// The last dependency of the rules that require a key.
  static let keyGate = "key-has-pss-parameters"

  static let keyCriteria: [Criterion] = [
    CheckRule(
      "key-is-answered", "A request for the token key receives a complete response", .error,
      .webkit("PrivateClickMeasurementManager.cpp"),
      fix: "Respond to requests for the key immediately, and complete the response."
    ).criterion(restsOn: connection, probes: [.key]) { context in
      guard context.options.tokens != .off else { return .notApplicable("tokens are not checked (--tokens off)") }
      return .none(of: context.observations[.key].whose { $0.failure != nil }, "a request for the key")
    },
    CheckRule(
      "key-is-served", "The token key is served with 200, without a redirect", .error,
      .webkit("PrivateClickMeasurementManager.cpp"),
      fix: "Serve the key at /.well-known/private-click-measurement/get-token-public-key/ itself, with status 200."
    ).criterion(within: "key-is-answered", probes: [.key]) { context in
      let sent = context.observations[.key]
      let offersKey = sent.first?.exchange.offersKey(context) == true
      if context.options.tokens == .auto, !offersKey { return .notApplicable("the endpoint offers no tokens") }
      if let first = sent.first, first.exchange.isAccepted, !offersKey {
        return .failed("a request for the key \(first.exchange.account) without a key", sent)
      }
      let failing = sent.whose { !$0.isAccepted }
      guard let first = failing.first, first.exchange.isFailureOfServer, context.options.tokens == .auto else {
        return .none(of: failing, "a request for the key")
      }
      return .failed(
        "a request for the key \(first.exchange.account)", failing,
        fix:
          "Serve the key at the path itself, with status 200, or answer 404 if you offer no tokens: a browser cannot distinguish "
          + "\(first.exchange.httpStatus ?? 500) from a key that is served at other times.")
    },
    CheckRule(
      "key-is-answered-within-2-seconds", "A request for the token key receives a response within 2 seconds", .warning, .advice,
      fix: "Cache the key: browsers request it before each report with tokens."
    ).criterion(within: "key-is-served", probes: [.key]) { context in
      slow(context.observations[.key], "a request for the key", context)
    },
    CheckRule(
      "key-is-json", "The token key is served as application/json", .error, .tokens,
      fix: "Send the key with Content-Type: application/json and a string token_public_key, or return 404."
    ).criterion(within: "key-is-served", probes: [.key]) { context in json("token_public_key", .key, context) },
    CheckRule(
      "key-is-base64url-spki", "The token key is a SubjectPublicKeyInfo of an RSA key in base64url", .error,
      .draft("RFC 4648, section 5, and RFC 5280"),
      fix: "Encode the key's SubjectPublicKeyInfo in DER, and the DER in base64url (RFC 4648, section 5)."
    ).key(within: "key-is-json") { error in
      switch error {
      case .wrongSize, .wrongPSSParameters, .wrongAlgorithm, .wrongRSAParameters: false
      default: true
      }
    },
    CheckRule(
      "key-size-is-2048-to-4096", "The token key has 2048 to 4096 bits", .error, .tokens,
      fix: "Generate an RSA key of 4096 bits, as WebKit's own tests use."
    ).key(within: "key-is-base64url-spki") { error in if case .wrongSize = error { true } else { false } },
    CheckRule(
      keyGate, "The token key's algorithm is RSASSA-PSS with SHA-384, MGF1 with SHA-384 and a salt of 48 bytes", .error,
      .draft("RFC 9474"),
      fix: "Use the algorithm id-RSASSA-PSS with SHA-384, MGF1 with SHA-384, and a salt of 48 bytes."
    ).key(within: "key-size-is-2048-to-4096") { error in
      switch error {
      case .wrongPSSParameters, .wrongAlgorithm, .wrongRSAParameters: true
      default: false
      }
    },
    CheckRule(
      "key-is-in-todays-form", "The token key has the encoding that current browsers expect", .warning,
      .webkit("EventAttribution.mm, a test"),
      fix: "Use the algorithm id-RSASSA-PSS, and hash identifiers without NULL parameters."
    ).criterion(within: keyGate, probes: [.key]) { context in
      switch context.key?.form {
      case .rsaEncryption: .failed("the key is encoded as rsaEncryption, which browsers of older systems expected")
      case .rsassaPSSWithNull: .failed("the hash identifiers have NULL parameters, which browsers may not accept")
      case .rsassaPSS, nil: .passed
      }
    },
    CheckRule(
      "key-is-the-same-for-everybody", "The token key is identical for each request and each client", .error, .tokens,
      fix: "Serve one key to all clients: browsers send no report when the key has changed since the signature."
    ).criterion(within: keyGate, probes: [.key, .keyAgain]) { context in
      let (all, first) = (context.observations.all(.key, .keyAgain), wire(context.observations.first(.key)))
      let others = all.filter { wire($0.exchange) != first }
      guard let other = others.first else { return .passed }
      let what =
        wire(other.exchange) == nil
        ? "a second request for the key \(other.exchange.account)" : "two requests received different keys"
      return .failed(what, all)
    },
  ]

  /// Returns a warning when an exchange takes longer than the recommended duration.
  static func slow(_ sent: [Sent], _ subject: String, _ context: CheckContext) -> Evaluation {
    guard let slow = sent.whose({ $0.duration > context.options.patience.good }).first else { return .passed }
    return .failed("\(subject) took \(slow.exchange.duration.words)", [slow])
  }

  static func json(_ member: String, _ probe: Probe, _ context: CheckContext) -> Evaluation {
    guard let sent = context.observations[probe].first else { return .notApplicable("nothing was requested") }
    guard JSONResponse.isTyped(sent.exchange) else {
      return .failed("the response's media type is \(sent.exchange.contentType.map(Redaction.shown) ?? "missing")", [sent])
    }
    guard case .failure(let error) = JSONResponse.text(member, of: sent.exchange) else { return .passed }
    return .failed("the response \(error.why)", [sent])
  }

  fileprivate static func wire(_ exchange: ProbeExchange?) -> String? {
    exchange.flatMap { try? JSONResponse.text("token_public_key", of: $0).get() }
  }
}

extension CheckRule {
  /// A criterion about a kind of error in the key.
  fileprivate func key(
    within: String, isMeant: @escaping @Sendable (TokenKeyError) -> Bool
  ) -> Criterion {
    criterion(within: within, probes: [.key]) { context in
      guard let wire = CheckCatalog.wire(context.observations.first(.key)) else { return .passed }
      do throws(TokenKeyError) {
        _ = try TokenPublicKey(wire: wire)
        return .passed
      } catch {
        return isMeant(error) ? .failed(error.detail.asClause) : .passed
      }
    }
  }
}

extension ProbeExchange {
  /// Returns whether the response for the key's path comes from an endpoint that offers tokens, even invalid tokens. An
  /// endpoint without tokens has no route there, so the response comes from its framework, login, firewall, default page, or
  /// report handler, which fails without a body. If a report receives the same response, the whole server responds in this
  /// way. An endpoint whose nonces are given has tokens.
  fileprivate func offersKey(_ context: CheckContext) -> Bool {
    let report = context.observations.first(.report)
    return switch exchange.httpStatus {
    case nil, 400, 401, 403, 404, 405, 410, 501: false
    case .some(300..<400): false
    case .some(200..<300): offersKeyInBody && !context.isFirstLikeKey
    // Temporary statuses, which a browser may receive from a path that serves a key at other times.
    case 429, .some(502..<600): exchange.httpStatus != report?.httpStatus
    default: context.options.nonces != .none && exchange.httpStatus != report?.httpStatus
    }
  }

  private var offersKeyInBody: Bool {
    if JSONResponse.object(of: self) != nil { return StatedError.statement(of: self) == nil }
    return String(decoding: exchange.body, as: UTF8.self).contains("token_public_key")
  }
}
