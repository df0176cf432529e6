import PCMCore
import PCMDelivery
import PCMTokens

extension CheckCatalog {
  /// The last of the rules on which all that needs a key rests.
  static let keyGate = "key-has-pss-parameters"

  static let keyCriteria: [Criterion] = [
    Criterion(
      CheckRule(
        "key-is-answered", "A request for the token key has a whole answer within 10 seconds", .error, .webkit,
        fix: "Let the server answer requests for the key at once, and end its answer in order."),
      restsOn: connection, probes: [.key]
    ) { inquiry in
      guard inquiry.options.tokens != .off else { return .notApplicable("tokens are left out (--tokens off)") }
      return .none(
        of: inquiry.observations[.key].whose { $0.failure != nil || $0.duration > inquiry.options.patience.tolerable },
        "a request for the key")
    },
    Criterion(
      CheckRule(
        "key-is-served", "The token key is served with 200, without a redirect", .error, .webkit,
        fix: "Serve the key at /.well-known/private-click-measurement/get-token-public-key/ itself, with status 200."),
      within: "key-is-answered", probes: [.key]
    ) { inquiry in
      let sent = inquiry.observations[.key]
      let offersKey = sent.first?.exchange.offersKey == true
      if inquiry.options.tokens == .auto, !offersKey { return .notApplicable("the endpoint offers no tokens") }
      if let first = sent.first, first.exchange.isAccepted, !offersKey {
        return .failed("a request for the key \(first.exchange.account) and without a key", sent)
      }
      return .none(of: sent.whose { !$0.isAccepted }, "a request for the key")
    },
    Criterion(
      CheckRule(
        "key-is-answered-within-2-seconds", "A request for the token key is answered within 2 seconds", .warning, .ours,
        fix: "Keep the key at hand: a browser asks for it before each report that has tokens."),
      within: "key-is-served", probes: [.key]
    ) { inquiry in slow(inquiry.observations[.key], "a request for the key", inquiry) },
    Criterion(
      CheckRule(
        "key-is-json", "The token key comes as application/json", .error, .draft,
        fix: "Send the key as Content-Type: application/json with a text token_public_key, or 404 if you offer no tokens."),
      within: "key-is-served", probes: [.key]
    ) { inquiry in json("token_public_key", .key, inquiry) },
    key(
      CheckRule(
        "key-is-base64url-spki", "The token key is a SubjectPublicKeyInfo of an RSA key in base64url", .error, .draft,
        fix: "Write the key's SubjectPublicKeyInfo in DER, and that in base64url (RFC 4648, section 5)."),
      within: "key-is-json"
    ) { refusal in
      switch refusal {
      case .wrongSize, .wrongPSSParameters, .wrongAlgorithm, .wrongRSAParameters: false
      default: true
      }
    },
    key(
      CheckRule(
        "key-size-is-2048-to-4096", "The token key has 2048 to 4096 bits", .error, .draft,
        fix: "Make an RSA key of 4096 bits, which is what WebKit's own tests use."),
      within: "key-is-base64url-spki"
    ) { refusal in if case .wrongSize = refusal { true } else { false } },
    key(
      CheckRule(
        keyGate, "The token key's algorithm is RSASSA-PSS with SHA-384, MGF1 with SHA-384 and salt 48",
        .error, .draft,
        fix: "Write the algorithm as id-RSASSA-PSS with SHA-384, MGF1 with SHA-384 and a salt of 48 bytes."),
      within: "key-size-is-2048-to-4096"
    ) { refusal in
      switch refusal {
      case .wrongPSSParameters, .wrongAlgorithm, .wrongRSAParameters: true
      default: false
      }
    },
    Criterion(
      CheckRule(
        "key-is-in-todays-form", "The token key is written as today's browsers expect it", .warning, .webkit,
        fix: "Write the algorithm as id-RSASSA-PSS, its hashes without NULL parameters."),
      within: keyGate, probes: [.key]
    ) { inquiry in
      switch inquiry.key?.form {
      case .rsaEncryption: .failed("the key is written as rsaEncryption, which browsers of older systems expected")
      case .rsassaPSSWithNull: .failed("the names of the hashes have a NULL behind them, and browsers may not take that")
      case .rsassaPSS, nil: .passed
      }
    },
    Criterion(
      CheckRule(
        "key-is-the-same-for-everybody", "The token key is the same bytes each time and for each client", .error, .draft,
        fix: "Serve one key to everybody: browsers send no report when the key has changed since it signed."),
      within: keyGate, probes: [.key, .keyAgain]
    ) { inquiry in
      let (all, first) = (inquiry.observations.all(.key, .keyAgain), wire(inquiry.observations.first(.key)))
      let others = all.filter { wire($0.exchange) != first }
      guard let other = others.first else { return .passed }
      let what =
        wire(other.exchange) == nil ? "a second request for the key \(other.exchange.account)" : "two requests had two keys"
      return .failed(what, all)
    },
  ]

  /// What each thing that is asked for takes at most, without a warning.
  static func slow(_ sent: [Sent], _ subject: String, _ inquiry: CheckContext) -> Judgement {
    guard let slow = sent.whose({ $0.duration > inquiry.options.patience.good }).first else { return .passed }
    return .failed("\(subject) took \(slow.exchange.duration.words)", [slow])
  }

  static func json(_ member: String, _ probe: Probe, _ inquiry: CheckContext) -> Judgement {
    guard let sent = inquiry.observations[probe].first else { return .notApplicable("nothing was asked for") }
    guard JSONAnswer.isTyped(sent.exchange) else {
      return .failed("the answer's media type is \(sent.exchange.contentType.map(Redaction.shown) ?? "not said")", [sent])
    }
    guard case .failure(let fault) = JSONAnswer.text(member, of: sent.exchange) else { return .passed }
    return .failed("the answer \(fault.why)", [sent])
  }

  private static func wire(_ exchange: ProbeExchange?) -> String? {
    exchange.flatMap { try? JSONAnswer.text("token_public_key", of: $0).get() }
  }

  /// A criterion about the flaw for which a key is refused, if there is one.
  private static func key(
    _ rule: CheckRule, within: String, isMeant: @escaping @Sendable (TokenKeyError) -> Bool
  ) -> Criterion {
    Criterion(rule, within: within, probes: [.key]) { inquiry in
      guard let wire = wire(inquiry.observations.first(.key)) else { return .passed }
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
  /// Whether the answer at the key path comes from an endpoint that offers tokens, however badly. An endpoint without tokens
  /// has no route there, so its framework, its login, or its firewall answers, or the page that it serves for every path.
  fileprivate var offersKey: Bool {
    switch exchange.httpStatus {
    case nil, 400, 401, 403, 404, 405, 410, 501: false
    case .some(300..<400): false
    case .some(200..<300): !exchange.body.isEmpty && !isPage
    default: true
    }
  }

  private var isPage: Bool {
    let type = (exchange.contentType ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
    return ["text/html", "application/xhtml+xml"].contains(type) && JSONAnswer.object(of: self) == nil
  }
}
