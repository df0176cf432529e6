import PCMCore
import PCMCrypto
import PCMNetwork

extension CheckCatalog {
  static let certificateCriteria: [Criterion] = [
    CheckRule(
      "certificate-is-well-formed", "The certificate is well-formed", .warning, .draft("RFC 5280"),
      fix: "Get a certificate encoded according to RFC 5280: TLS libraries differ in the errors that they tolerate."
    ).criterion(restsOn: ["tls-1-2-or-later-is-spoken"], probes: [.handshake, .inspection]) { context in
      CertificateObservation(context.observations).isUnreadable
        ? .failed("the certificate cannot be parsed, regardless of its key") : .passed
    },
    CheckRule(
      "certificate-key-is-long-enough", "The certificate's key is RSA of 2048 bits or more, or on a NIST curve", .error,
      .apple("Requirements for trusted certificates in iOS 13 and macOS 10.15, support.apple.com/103769"),
      fix: "Get a certificate for a P-256 key, or an RSA key of at least 2048 bits."
    ).certificate { observation, _ in
      if let violation = observation.keyViolation { return .failed(violation) }
      return observation.verification == .keyTooSmall ? .failed("the TLS library rejects the key as too weak") : .passed
    },
    CheckRule(
      "certificate-signature-is-sha-2", "The certificate is signed with a hash of the SHA-2 family", .error,
      .apple("Requirements for trusted certificates in iOS 13 and macOS 10.15, support.apple.com/103769"),
      fix: "Get a certificate signed with SHA-256 or stronger."
    ).certificate { observation, _ in
      let isWeak = observation.verification == .hashTooWeak || observation.certificate?.signatureViolation != nil
      return isWeak ? .failed("the chain is signed with a hash that browsers reject") : .passed
    },
    CheckRule(
      "certificate-names-the-host", "The certificate is for the registrable domain", .error,
      .apple("Requirements for trusted certificates in iOS 13 and macOS 10.15, support.apple.com/103769"),
      fix: "Get a certificate whose subjectAltName has the registrable domain: *.example.com does not match example.com."
    ).certificate { observation, context in
      let host = context.host
      guard !context.options.route.insecure else { return .notApplicable("certificates are not verified (--insecure)") }
      if let violation = observation.certificate?.nameViolation(for: host) {
        return observation.isRejected || context.options.endpoint.hasRegistrableDomain ? .failed(violation) : .passed
      }
      // For a certificate that cannot be parsed, the TLS library has compared the name.
      guard observation.isRejected, observation.verification == .fine else { return .passed }
      return .failed("it is not for \(host)")
    },
    CheckRule(
      "certificate-is-in-its-time", "The certificate is valid now", .error, .apple("NSAdvertisingAttributionReportEndpoint"),
      fix: "Renew the certificate, and automate its renewal."
    ).certificate { observation, context in
      guard let certificate = observation.certificate, !certificate.validity.contains(context.now) else { return .passed }
      return .failed("it is valid from \(certificate.validity.lowerBound.text) to \(certificate.validity.upperBound.text)")
    },
    CheckRule(
      "certificate-chain-is-trusted", "The certificate chain ends at a trusted authority", .error,
      .apple("NSAdvertisingAttributionReportEndpoint"),
      fix: "Serve the whole chain of an authority that Apple's systems trust. For tests, specify your own with --ca-file."
    ).certificate { observation, context in
      guard !context.options.route.insecure else { return .notApplicable("certificates are not verified (--insecure)") }
      guard observation.isRejected, !observation.verification.isExplained(by: observation.certificate, at: context.now) else {
        return .passed
      }
      let issuer = observation.certificate.map { "; the certificate's issuer is \($0.issuer)" } ?? ""
      return .failed("\(observation.detail)\(issuer)")
    },
    CheckRule(
      "certificate-lasts-21-days", "The certificate is valid for at least 21 more days", .warning, .advice,
      fix: "Renew the certificate now, and find out why it was not renewed automatically."
    ).lasting { certificate, context in
      let left = certificate.validity.upperBound - context.now
      return left >= .days(21) ? .passed : .failed("it expires in \(left.words), at \(certificate.validity.upperBound.text)")
    },
    CheckRule(
      "certificate-lasts-at-most-398-days", "The certificate is valid for at most 398 days, 825 of your own authority",
      .warning, .apple("Requirements for trusted certificates in iOS 13 and macOS 10.15, support.apple.com/103769"),
      fix: "Get a certificate with a shorter validity: Apple's systems reject longer ones."
    ).lasting { certificate, context in
      // Apple's limit is 398 days for public authorities, and 825 days for all authorities since July 2019.
      let isOwn = context.options.route.caFile != nil
      guard !isOwn || certificate.validity.lowerBound >= appleRulesOf2019 else { return .passed }
      let length = certificate.validity.upperBound - certificate.validity.lowerBound
      return length <= .days(isOwn ? 825 : 398) ? .passed : .failed("it is valid for \(length.words)")
    },
    CheckRule(
      "certificate-has-extended-key-usage", "The certificate has an extended key usage", .warning,
      .apple("Requirements for trusted certificates in iOS 13 and macOS 10.15, support.apple.com/103769"),
      fix: "Add the extended key usage serverAuth: Apple's systems reject certificates since July 2019 without it."
    ).lasting { certificate, _ in
      guard !certificate.hasExtendedKeyUsage, certificate.validity.lowerBound >= appleRulesOf2019 else { return .passed }
      return .failed("it has no extended key usage")
    },
  ]

  /// 2019-07-01: Apple's systems have further rules for certificates that are valid from this time on
  /// (support.apple.com/103769).
  private static let appleRulesOf2019 = Instant(milliseconds: 1_561_939_200_000)
}

extension CheckRule {
  /// The criteria about certificates that browsers reject. They do not depend on each other, because each is evaluated
  /// separately.
  fileprivate func certificate(
    _ evaluate: @escaping @Sendable (CertificateObservation, CheckContext) -> Evaluation
  ) -> Criterion {
    criterion(restsOn: ["tls-1-2-or-later-is-spoken"], probes: [.handshake, .inspection]) { context in
      let observation = CertificateObservation(context.observations)
      let evaluation = evaluate(observation, context)
      return evaluation == .passed && observation.isUnreadable ? .notApplicable("the certificate cannot be parsed") : evaluation
    }
  }

  /// The criteria about a certificate that is currently valid.
  fileprivate func lasting(
    _ evaluate: @escaping @Sendable (ServerCertificate, CheckContext) -> Evaluation
  ) -> Criterion {
    criterion(restsOn: ["certificate-is-in-its-time"], probes: [.handshake, .inspection]) { context in
      guard let certificate = CertificateObservation(context.observations).certificate else {
        return .notApplicable("the server sent no readable certificate")
      }
      return evaluate(certificate, context)
    }
  }
}

/// The server's certificate, and the result of the TLS library.
private struct CertificateObservation {
  let certificate: ServerCertificate?
  /// The reason browsers reject the key, if the key can be parsed.
  let keyViolation: String?
  /// Whether there is a certificate that cannot be parsed for a reason other than its key.
  let isUnreadable: Bool
  let isRejected: Bool
  let verification: Verification
  let detail: String

  init(_ observations: Observations) {
    let shown = observations.all(.handshake, .inspection).compactMap { $0.exchange.certificates.first }.first
    let handshake = observations.first(.handshake)
    certificate = shown.flatMap(ServerCertificate.init)
    // The crypto library checks the curve. The encoding is checked only for keys that the library cannot read.
    keyViolation = certificate.map(\.keyViolation) ?? shown.flatMap(CertificateKey.init)?.violation
    isUnreadable = shown != nil && certificate == nil && keyViolation == nil
    isRejected = handshake?.failure?.code == .certificateRefused
    verification = Verification(code: handshake?.verification ?? 0)
    detail = handshake?.failure?.detail ?? ""
  }

  /// The results of OpenSSL (`openssl-verify(1)`) that separate rules cover.
  enum Verification {
    case fine
    case outOfTime
    case keyTooSmall
    case hashTooWeak
    case other

    init(code: Int) {
      self =
        switch code {
        // Code 1 does not concern the chain: the name was rejected.
        case 0, 1, 62, 64: .fine
        case 9, 10: .outOfTime
        case 66, 67: .keyTooSmall
        case 68: .hashTooWeak
        default: .other
        }
    }

    /// Returns whether a separate rule reports the reason the chain was rejected. The expired certificate may be another
    /// certificate of the chain.
    func isExplained(by certificate: ServerCertificate?, at now: Instant) -> Bool {
      switch self {
      case .fine, .keyTooSmall, .hashTooWeak: true
      case .outOfTime: certificate.map { !$0.validity.contains(now) } ?? false
      case .other: false
      }
    }
  }
}
