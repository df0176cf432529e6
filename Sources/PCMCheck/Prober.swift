package import PCMDelivery

/// Sends the requests of an examination. Implementations: the transport of `PCMApp`, and endpoints in memory in tests.
///
/// A contract of its own beside ``Transport``: browsers neither choose a TLS version nor look at certificates.
package protocol Prober: Sendable {
  /// Sends one request and waits for its end. Never throws: whatever goes wrong is part of the answer.
  func send(_ request: ProbeRequest, route: NetworkRoute) async -> ProbeExchange
}

/// A request of an examination: one that a browser could send, and what its connection offers.
@dynamicMemberLookup
package struct ProbeRequest: Hashable, Sendable {
  package let request: OutgoingRequest
  package let terms: ConnectionTerms

  package init(_ request: OutgoingRequest, _ terms: ConnectionTerms = ConnectionTerms()) {
    self.request = request
    self.terms = terms
  }

  package subscript<Value>(dynamicMember member: KeyPath<OutgoingRequest, Value>) -> Value { request[keyPath: member] }
}

/// What the connection of a probe offers.
package struct ConnectionTerms: Hashable, Sendable {
  package enum HTTPVersion: Hashable, Sendable {
    /// HTTP/2 and HTTP/1.1 are offered, as browsers do.
    case negotiated
    /// Nothing but HTTP/1.1 is offered.
    case only1
  }

  package enum TLSVersion: Hashable, Sendable {
    /// TLS 1.2 and later, which is what browsers speak.
    case browser
    /// TLS 1.3 and later.
    case from13
    /// TLS 1.0 and 1.1, with the ciphers of their time. No browser speaks these any more.
    case before12
  }

  package var httpVersion: HTTPVersion
  package var tls: TLSVersion
  /// The connection is made and taken down again, and no request goes out on it.
  package var endsWithHandshake: Bool

  package init(httpVersion: HTTPVersion = .negotiated, tls: TLSVersion = .browser, endsWithHandshake: Bool = false) {
    self.httpVersion = httpVersion
    self.tls = tls
    self.endsWithHandshake = endsWithHandshake
  }
}

/// What came of a probe's request: what is recorded of a browser's, and more.
@dynamicMemberLookup
package struct ProbeExchange: Hashable, Sendable {
  package var exchange: Exchange
  /// The certificates that the server showed, its own first, each as PEM. Empty when the handshake did not come to its
  /// end, as it does not when a certificate is refused.
  package var certificates: [String]
  /// What the TLS library made of the chain: 0 when it is in order, otherwise OpenSSL's number (`openssl-verify(1)`). A
  /// certificate for another name is refused later, and leaves 1, which says nothing.
  package var verification: Int
  /// Whether the answer has a `Set-Cookie`.
  package var setsCookies: Bool

  package init(
    _ exchange: Exchange = Exchange(), certificates: [String] = [], verification: Int = 0, setsCookies: Bool = false
  ) {
    self.exchange = exchange
    self.certificates = certificates
    self.verification = verification
    self.setsCookies = setsCookies
  }

  package subscript<Value>(dynamicMember member: WritableKeyPath<Exchange, Value>) -> Value {
    get { exchange[keyPath: member] }
    set { exchange[keyPath: member] = newValue }
  }
}
