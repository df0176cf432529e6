/// Sends the requests of a check. The implementations are the transport of `PCMCurl` and the in-memory endpoints of tests.
///
/// This protocol is separate from ``Transport`` because browsers neither select a TLS version nor return certificates.
package protocol Prober: Sendable {
  /// Sends a request and returns the exchange. Errors are part of the exchange.
  func send(_ request: ProbeRequest, route: NetworkRoute) async -> ProbeExchange
}

/// A request of a check, and the parameters of its connection.
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

/// The parameters of a probe's connection.
package struct ConnectionTerms: Hashable, Sendable {
  package enum TLSVersion: Hashable, Sendable {
    /// TLS 1.2 and later, as browsers offer.
    case browser
    /// TLS 1.3 and later.
    case from13
    /// TLS 1.0 and 1.1, with the cipher suites of these versions. Browsers no longer support them.
    case before12
  }

  /// Whether both HTTP/2 and HTTP/1.1 are offered, as by browsers.
  package var offersHTTP2: Bool
  package var tls: TLSVersion
  /// Whether the connection is closed after the handshake, without a request.
  package var endsWithHandshake: Bool

  package init(offersHTTP2: Bool = true, tls: TLSVersion = .browser, endsWithHandshake: Bool = false) {
    self.offersHTTP2 = offersHTTP2
    self.tls = tls
    self.endsWithHandshake = endsWithHandshake
  }
}

/// The result of a probe's request, which contains more than the result of a browser's request.
@dynamicMemberLookup
package struct ProbeExchange: Hashable, Sendable {
  package var exchange: Exchange
  /// The certificate chain of the server as PEM, with the leaf first. Empty when the handshake is incomplete, as it is when
  /// a certificate is rejected.
  package var certificates: [String] = []
  /// The result of the TLS library's chain verification: 0 for a valid chain, otherwise OpenSSL's number
  /// (`openssl-verify(1)`), also for a certificate that only browsers reject.
  package var verification = 0
  /// Whether the response has a `Set-Cookie` header.
  package var setsCookies = false
  /// The headers of the response in their order, without cookies.
  package var headers: [OutgoingRequest.Header] = []

  package init(_ exchange: Exchange = Exchange()) { self.exchange = exchange }

  package subscript<Value>(dynamicMember member: WritableKeyPath<Exchange, Value>) -> Value {
    get { exchange[keyPath: member] }
    set { exchange[keyPath: member] = newValue }
  }
}
