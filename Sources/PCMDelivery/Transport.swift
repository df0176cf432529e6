package import PCMCore

/// How a request leaves the machine. Implementations: libcurl in `PCMCurl`, and scripted ones in tests.
package protocol Transport: Sendable {
  /// Sends one request and waits for its end. Never throws: whatever goes wrong is part of the answer, because a
  /// browser's sends have exactly one outcome, which is recorded.
  func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange

  /// What one browser sends through, for a network that tells browsers apart.
  func transport(of browser: String) -> any Transport
}

extension Transport {
  /// The same for all.
  package func transport(of browser: String) -> any Transport { self }
}

/// One request as a browser makes it: no referrer, and no redirect is followed (reference, section 7).
package struct OutgoingRequest: Hashable, Sendable {
  /// Where a request may go and what it carries along.
  package enum Kind: Hashable, Sendable {
    /// One of Private Click Measurement's own: https alone, and no cookies, neither out nor in.
    case measurement
    /// A page's load: http as well, and with cookies. Each is a line of seven fields as libcurl writes them
    /// (Netscape's cookie file), expiry in seconds of the machine's clock.
    case pageLoad(cookies: [String])
  }

  package enum Method: String, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
  }

  package let kind: Kind
  package let method: Method
  /// An absolute https URL in normal form; for a page's load http, too.
  package let url: String
  /// In the order in which they go out, besides `Host` and what HTTP itself demands (`Content-Length`).
  package let headers: [Header]
  /// Nil for a request without a body.
  package let body: [UInt8]?

  package init(kind: Kind = .measurement, method: Method, url: String, headers: [Header], body: [UInt8]?) {
    self.kind = kind
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }

  package struct Header: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }
}

/// Where connections may go and how they are checked: the network options of the process and of a browser.
package struct NetworkRoute: Hashable, Sendable {
  /// `HOST1:PORT1:HOST2:PORT2` in libcurl's syntax and meaning: a request for the first goes to the second.
  package var connectTo: [String]
  /// `HOST:PORT:ADDRESS[,ADDRESS]` in libcurl's syntax and meaning.
  package var resolve: [String]
  /// A PEM file of certificate authorities to trust instead of the system's.
  package var caFile: String?
  /// Certificates are not verified. Never the default; each attempt made so is marked.
  package var insecure: Bool
  /// Private, loopback and link-local addresses are allowed as targets.
  package var allowPrivateNetworks: Bool
  /// Each request opens a connection of its own, so that reports share none that would link them.
  package var freshConnections: Bool
  /// For name resolution, TCP and TLS together.
  package var connectTimeout: Interval
  /// For the whole exchange.
  package var totalTimeout: Interval
  /// Response bytes that are read; whatever follows is cut and marked.
  package var responseLimit: Int

  package init(
    connectTo: [String] = [], resolve: [String] = [], caFile: String? = nil, insecure: Bool = false,
    allowPrivateNetworks: Bool = false, freshConnections: Bool = true, connectTimeout: Interval = .seconds(10),
    totalTimeout: Interval = .seconds(60), responseLimit: Int = 65_536
  ) {
    self.connectTo = connectTo
    self.resolve = resolve
    self.caFile = caFile
    self.insecure = insecure
    self.allowPrivateNetworks = allowPrivateNetworks
    self.freshConnections = freshConnections
    self.connectTimeout = connectTimeout
    self.totalTimeout = totalTimeout
    self.responseLimit = responseLimit
  }
}

/// What came of one request.
package struct Exchange: Hashable, Sendable {
  /// The status of the answer; nil when none arrived.
  package var httpStatus: Int?
  /// Why the exchange ended early; nil when the answer was read, or read up to the limit.
  package var failure: TransportFailure?
  /// `1.1` or `2`; nil when no answer arrived.
  package var httpVersion: String?
  /// The address that was connected to, without port.
  package var remoteAddress: String?
  /// Times since the start of the exchange; nil when nothing was begun.
  package var timings: Timings?
  /// The media type of the answer as sent.
  package var contentType: String?
  /// The answer's `Location` as sent; the first, if there are several.
  package var location: String?
  /// All cookies that there are after a page's load, those that it was given among them. One that the answer took back
  /// is missing or has expired. Nil when nothing was begun, and for requests that have no cookies.
  package var cookies: [String]?
  /// The answer's body up to the route's limit.
  package var body: [UInt8]
  /// Whether the body went on behind the limit.
  package var bodyTruncated: Bool
  /// Whether certificates went unverified.
  package var insecure: Bool

  package init(
    httpStatus: Int? = nil, failure: TransportFailure? = nil, httpVersion: String? = nil, remoteAddress: String? = nil,
    timings: Timings? = nil, contentType: String? = nil, location: String? = nil, cookies: [String]? = nil,
    body: [UInt8] = [], bodyTruncated: Bool = false, insecure: Bool = false
  ) {
    self.httpStatus = httpStatus
    self.failure = failure
    self.httpVersion = httpVersion
    self.remoteAddress = remoteAddress
    self.timings = timings
    self.contentType = contentType
    self.location = location
    self.cookies = cookies
    self.body = body
    self.bodyTruncated = bodyTruncated
    self.insecure = insecure
  }

  /// Seen from the start of the exchange, each the moment at which the phase was over. Microseconds, because a name
  /// that needs no lookup and a connection on loopback take less than a millisecond.
  package struct Timings: Hashable, Sendable {
    package var dns: Int64
    package var connect: Int64
    package var tls: Int64
    package var firstByte: Int64
    package var total: Int64

    package init(dns: Int64, connect: Int64, tls: Int64, firstByte: Int64, total: Int64) {
      self.dns = dns
      self.connect = connect
      self.tls = tls
      self.firstByte = firstByte
      self.total = total
    }
  }
}

/// Why no complete answer was read.
package struct TransportFailure: Hashable, Sendable {
  /// Stable names; the text beside it is for people.
  package enum Code: String, Hashable, Sendable, CaseIterable {
    case urlRefused = "url-refused"
    case nameNotResolved = "name-not-resolved"
    case addressRefused = "address-refused"
    case connectionFailed = "connection-failed"
    case tlsFailed = "tls-failed"
    case certificateRefused = "certificate-refused"
    /// The file of trusted authorities cannot be read or has no certificate.
    case authoritiesUnreadable = "ca-file-unreadable"
    case timedOut = "timed-out"
    case connectionLost = "connection-lost"
    case protocolError = "protocol-error"
    case transportClosed = "transport-closed"
    /// Nothing was sent: before it, a site did not serve the key that signed the report's token.
    case tokenKeyUnavailable = "token-key-unavailable"
    case tokenKeyInvalid = "token-key-invalid"
    case tokenKeyChanged = "token-key-changed"
    case interrupted = "interrupted"
  }

  package let code: Code
  package let detail: String

  package init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }
}
