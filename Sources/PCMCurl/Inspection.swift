package import PCMDelivery

/// An exchange on a connection that offers what its caller chose, with what was seen of the server's side.
///
/// Browsers have no such choice, so none of it is part of ``Transport``.
package struct Inspection: Hashable, Sendable {
  package let exchange: Exchange
  package let facts: Facts

  /// What the connection offers.
  package struct Options: Hashable, Sendable {
    package var tls: ClosedRange<TLSVersion>
    package var offersHTTP2: Bool
    /// The connection is made and taken down again, and no request goes out on it.
    package var endsWithHandshake: Bool

    /// What browsers offer, unless something else is given.
    package init(
      tls: ClosedRange<TLSVersion> = .v12 ... .v13, offersHTTP2: Bool = true, endsWithHandshake: Bool = false
    ) {
      self.tls = tls
      self.offersHTTP2 = offersHTTP2
      self.endsWithHandshake = endsWithHandshake
    }
  }

  package enum TLSVersion: Int, Comparable, Sendable {
    case v10
    case v11
    case v12
    case v13

    package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
  }

  package struct Facts: Hashable, Sendable {
    /// The certificates that the server showed, its own first, each as PEM. Empty when the handshake did not come to its
    /// end, as it does not when a certificate is refused.
    package var certificates: [String] = []
    /// What the TLS library made of the chain: 0 when it is in order, otherwise OpenSSL's number (`openssl-verify(1)`). A
    /// certificate for another name is refused later, and leaves 1, which says nothing.
    package var verification = 0
    /// Whether the answer has a `Set-Cookie`.
    package var setsCookies = false
  }
}
