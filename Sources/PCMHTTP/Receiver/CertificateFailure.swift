/// Why a server cannot use the certificate and the private key that it was given.
package enum CertificateFailure: Error, Hashable, Sendable, CaseIterable {
  case certificateUnreadable
  case privateKeyUnreadable
  /// The two are not a pair, or TLS refuses one of them.
  case refused

  package var detail: String {
    switch self {
    case .certificateUnreadable: "--certificate has no certificate in PEM that can be read."
    case .privateKeyUnreadable: "--private-key has no private key in PEM that can be read without a password."
    case .refused: "--certificate and --private-key do not belong together, or TLS does not allow one of them."
    }
  }
}
