import PCMCore
import PCMDelivery

extension CheckCatalog {
  static let certificateCriteria: [Criterion] = [
    certificate(
      CheckRule(
        "certificate-key-is-long-enough", "The certificate's key is RSA of 2048 bits or more, or on a NIST curve", .error,
        .apple,
        fix: "Get a certificate for a P-256 key, or an RSA key of at least 2048 bits.")
    ) { sight, _ in
      if sight.verification == .keyTooSmall { return .failed("the TLS library takes the key for too weak") }
      guard let certificate = sight.certificate else {
        return sight.isShown
          ? .failed("the certificate's key cannot be read, as one of RSA with less than 2048 bits cannot") : .passed
      }
      return certificate.keyObjection.map { .failed($0) } ?? .passed
    },
    certificate(
      CheckRule(
        "certificate-signature-is-sha-2", "The certificate is signed with a hash of the SHA-2 family", .error, .apple,
        fix: "Get a certificate that is signed with SHA-256 or better.")
    ) { sight, _ in
      let isWeak = sight.verification == .hashTooWeak || sight.certificate?.hasSHA1Signature == true
      return isWeak ? .failed("the chain is signed with a hash that browsers refuse") : .passed
    },
    certificate(
      CheckRule(
        "certificate-names-the-host", "The certificate is for the registrable domain", .error, .apple,
        fix: "Get a certificate that names the registrable domain itself: *.example.com is not for example.com.")
    ) { sight, inquiry in
      let (host, names) = (inquiry.site.domain, sight.certificate?.names.joined(separator: ", ") ?? "others")
      guard sight.isRefused, sight.verification == .fine || sight.isMisnamed(inquiry) else { return .passed }
      return .failed("it is for \(names), and not for \(host)")
    },
    certificate(
      CheckRule(
        "certificate-is-in-its-time", "The certificate is valid now", .error, .apple,
        fix: "Renew the certificate, and let that happen by itself.")
    ) { sight, inquiry in
      guard let certificate = sight.certificate, !certificate.validity.contains(inquiry.now) else { return .passed }
      return .failed("it is valid from \(certificate.validity.lowerBound.text) to \(certificate.validity.upperBound.text)")
    },
    certificate(
      CheckRule(
        "certificate-chain-is-trusted", "The certificate's chain leads to an authority that is trusted", .error, .apple,
        fix: "Serve the whole chain, from an authority that Apple's systems trust; for a test, name your own with --ca-file.")
    ) { sight, inquiry in
      guard !inquiry.options.route.insecure else { return .notApplicable("certificates are not verified (--insecure)") }
      guard sight.isRefused, !sight.verification.isExplained(by: sight.certificate, at: inquiry.now) else { return .passed }
      let issuer = sight.certificate.map { "; the certificate's issuer is \($0.issuer)" } ?? ""
      return .failed("\(sight.detail)\(issuer)")
    },
    lasting(
      CheckRule(
        "certificate-lasts-21-days", "The certificate is valid for 21 days more", .warning, .ours,
        fix: "Renew the certificate now, and find out why that did not happen by itself.")
    ) { certificate, inquiry in
      let left = certificate.validity.upperBound - inquiry.now
      return left >= .days(21) ? .passed : .failed("it expires in \(left.words), at \(certificate.validity.upperBound.text)")
    },
    lasting(
      CheckRule(
        "certificate-lasts-at-most-398-days", "The certificate is valid for 398 days at most", .warning, .apple,
        fix: "Get a certificate for a shorter time: Apple's systems refuse longer ones of public authorities.")
    ) { certificate, inquiry in
      guard inquiry.options.route.caFile == nil else { return .notApplicable("the authority is one of your own (--ca-file)") }
      let length = certificate.validity.upperBound - certificate.validity.lowerBound
      return length <= .days(398) ? .passed : .failed("it is valid for \(length.words)")
    },
  ]

  /// The criteria about what a browser would refuse. They do not rest on each other, since each is seen by itself.
  private static func certificate(
    _ rule: CheckRule, _ judge: @escaping @Sendable (CertificateSight, Inquiry) -> Judgement
  ) -> Criterion {
    Criterion(rule, restsOn: ["tls-1-2-or-later-is-spoken"], probes: [.handshake, .inspection]) { inquiry in
      judge(CertificateSight(inquiry.observations), inquiry)
    }
  }

  /// The criteria about a certificate that is valid now.
  private static func lasting(
    _ rule: CheckRule, _ judge: @escaping @Sendable (ServerCertificate, Inquiry) -> Judgement
  ) -> Criterion {
    Criterion(rule, restsOn: ["certificate-is-in-its-time"], probes: [.handshake, .inspection]) { inquiry in
      guard let certificate = CertificateSight(inquiry.observations).certificate else {
        return .notApplicable("the certificate was not seen")
      }
      return judge(certificate, inquiry)
    }
  }
}

/// What was seen of the server's certificate, and what the TLS library said.
private struct CertificateSight {
  /// Whether there was one, readable or not.
  let isShown: Bool
  let certificate: ServerCertificate?
  let isRefused: Bool
  let verification: Verification
  let detail: String

  init(_ observations: Observations) {
    let shown = observations.all(.handshake, .inspection).compactMap { $0.exchange.examined?.certificates.first }.first
    let handshake = observations.first(.handshake)
    isShown = shown != nil
    certificate = shown.flatMap(ServerCertificate.init)
    isRefused = handshake?.failure?.code == .certificateRefused
    verification = Verification(code: handshake?.examined?.verification ?? 0)
    detail = handshake?.failure?.detail ?? ""
  }

  /// Where the chain is in order, the TLS library has looked at the name, and knows addresses, too.
  func isMisnamed(_ inquiry: Inquiry) -> Bool {
    guard let certificate, inquiry.options.endpoint.hasRegistrableDomain else { return false }
    return !certificate.names(inquiry.site.domain)
  }

  /// OpenSSL's numbers (`openssl-verify(1)`), as far as a rule of its own speaks of them.
  enum Verification {
    case fine
    case outOfTime
    case keyTooSmall
    case hashTooWeak
    case other

    init(code: Int) {
      self =
        switch code {
        // 1 is no word about the chain: the name was refused.
        case 0, 1, 62, 64: .fine
        case 9, 10: .outOfTime
        case 66, 67: .keyTooSmall
        case 68: .hashTooWeak
        default: .other
        }
    }

    /// Whether a rule of its own says why the chain was refused. A time that is over may be that of another certificate
    /// of the chain.
    func isExplained(by certificate: ServerCertificate?, at now: Instant) -> Bool {
      switch self {
      case .fine, .keyTooSmall, .hashTooWeak: true
      case .outOfTime: certificate.map { !$0.validity.contains(now) } ?? false
      case .other: false
      }
    }
  }
}
