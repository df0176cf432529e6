package import PCMCore

/// A client that sends requests. `PCMCurl` implements it with libcurl, and tests with scripted responses.
///
/// ```swift
/// struct Offline: Transport {
///   func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
///     Exchange(failure: TransportFailure(.connectionFailed, "no connection to \(request.url)"))
///   }
/// }
/// let request = OutgoingRequest(method: .get, url: "https://news.example/", headers: [], body: nil)
/// let exchange = await Offline().send(request, route: NetworkRoute())
/// assert(exchange.failure?.code == .connectionFailed && exchange.httpStatus == nil)
/// ```
package protocol Transport: Sendable {
  /// Sends one request and returns the exchange. It does not throw: each request has exactly one recorded outcome, so errors
  /// are part of the result.
  func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange
}

/// One request of a browser, or one call of the service, without following redirects (reference, section 7).
package struct OutgoingRequest: Hashable, Sendable {
  /// The kind of a request, which determines its schemes and cookies.
  package enum Kind: Hashable, Sendable {
    /// A request of Private Click Measurement: https only, without sending or storing cookies.
    case measurement
    /// A page's load: http or https, with the matching cookies of these. They are sent in this order where libcurl has no other: it
    /// first compares the lengths of their paths, of their domains, and of their names.
    case pageLoad(cookies: [Cookie])
    /// A call of the service: http or https, without sending or storing cookies.
    case call
  }

  package enum Method: String, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  package let kind: Kind
  package let method: Method
  /// An absolute https URL in normal form. A page's load and a call also accept http.
  package let url: String
  /// The headers in wire order, without `Host` and `Content-Length`, which HTTP requires.
  package let headers: [Header]
  /// The body; nil for a request without one.
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

  /// The headers as the network sends them over HTTP/2, in wire order, without the pseudo-header fields. Cookies, which the
  /// network selects, are not included.
  package var wireHeaders: [Header] {
    let length = method != .get || body != nil ? [Header("content-length", String(body?.count ?? 0))] : []
    return [Header("accept", "*/*")] + headers.map { Header($0.name.lowercased(), $0.value) } + length
  }

  /// The method and URL, and these headers, a line each.
  package var head: String {
    (["\(method.rawValue) \(url)"] + wireHeaders.map { "\($0.name): \($0.value)" }).joined(separator: "\n")
  }
}

/// The network options of the process and of a browser: allowed targets and verification.
package struct NetworkRoute: Hashable, Sendable {
  /// `HOST1:PORT1:HOST2:PORT2` in libcurl's syntax: requests to the first connect to the second.
  package var connectTo: [String]
  /// `HOST:PORT:ADDRESS[,ADDRESS]` in libcurl's syntax.
  package var resolve: [String]
  /// The hosts whose requests go to an address without TLS. They have precedence over `connectTo`.
  package var forwardTo: [Forward]
  /// A PEM file of certificate authorities that replaces the system's.
  package var caFile: String?
  /// Disables the verification of certificates. Never the default; each such attempt is marked.
  package var insecure: Bool
  /// Allows private, loopback, and link-local addresses as targets.
  package var allowPrivateNetworks: Bool
  /// Opens a new connection for each request, because a shared connection would link reports.
  package var freshConnections: Bool
  /// The timeout for name resolution, TCP, and TLS together.
  package var connectTimeout: Interval
  /// The timeout for the entire exchange.
  package var totalTimeout: Interval
  /// The maximum number of response bytes to read. A longer body is truncated and marked.
  package var responseLimit: Int
  /// Whether a page asks for the request. A network sends such requests on another thread than reports, so that no site
  /// delays them.
  package var isForPage = false
  /// The names that did not resolve during the move of the clock that sends the request; nil outside of a move.
  package var failedLookups: FailedLookups?

  package init(
    connectTo: [String] = [], resolve: [String] = [], forwardTo: [Forward] = [], caFile: String? = nil, insecure: Bool = false,
    allowPrivateNetworks: Bool = false, freshConnections: Bool = true, connectTimeout: Interval = .seconds(10),
    totalTimeout: Interval = .seconds(60), responseLimit: Int = 65_536
  ) {
    self.connectTo = connectTo
    self.resolve = resolve
    self.forwardTo = forwardTo
    self.caFile = caFile
    self.insecure = insecure
    self.allowPrivateNetworks = allowPrivateNetworks
    self.freshConnections = freshConnections
    self.connectTimeout = connectTimeout
    self.totalTimeout = totalTimeout
    self.responseLimit = responseLimit
  }
}

/// The result of one request.
package struct Exchange: Hashable, Sendable {
  /// The status of the response; nil when none arrived.
  package var httpStatus: Int?
  /// The failure of the exchange; nil when the response was read completely or up to the limit.
  package var failure: TransportFailure?
  /// `1.1` or `2`; nil when no response arrived.
  package var httpVersion: String?
  /// The address of the connection, without port.
  package var remoteAddress: String?
  /// Times since the start of the exchange; nil when it did not start.
  package var timings: Timings?
  /// The media type of the response as sent.
  package var contentType: String?
  /// The first `Location` of the response, as sent.
  package var location: String?
  /// The first `Refresh` of the response, as sent.
  package var refresh: String?
  /// The first `Cross-Origin-Resource-Policy` of the response, as sent.
  package var resourcePolicy: String?
  /// All cookies after a page's load, including given cookies. A cookie that the response removed is missing or expired.
  /// Nil when the exchange did not start, and for requests without cookies.
  package var cookies: [Cookie]?
  /// The response body up to the route's limit.
  package var body: [UInt8]
  /// Whether the body exceeded the limit.
  package var bodyTruncated: Bool
  /// Whether certificates were not verified.
  package var insecure: Bool
  /// The address that received the request without TLS; nil for a request that was not forwarded.
  package var forwardedTo: String?

  package init(
    httpStatus: Int? = nil, failure: TransportFailure? = nil, httpVersion: String? = nil, remoteAddress: String? = nil,
    timings: Timings? = nil, contentType: String? = nil, location: String? = nil,
    refresh: String? = nil, resourcePolicy: String? = nil, cookies: [Cookie]? = nil, body: [UInt8] = [],
    bodyTruncated: Bool = false, insecure: Bool = false, forwardedTo: String? = nil
  ) {
    self.httpStatus = httpStatus
    self.failure = failure
    self.httpVersion = httpVersion
    self.remoteAddress = remoteAddress
    self.timings = timings
    self.contentType = contentType
    self.location = location
    self.refresh = refresh
    self.resourcePolicy = resourcePolicy
    self.cookies = cookies
    self.body = body
    self.bodyTruncated = bodyTruncated
    self.insecure = insecure
    self.forwardedTo = forwardedTo
  }

  /// The end of each phase, measured from the start of the exchange. Microseconds, because a name
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

/// A failure to read a complete response.
package struct TransportFailure: Hashable, Sendable {
  /// The codes, which are stable. The detail is for people.
  package enum Code: String, Hashable, Sendable, CaseIterable {
    case urlRefused = "url-refused"
    case nameNotResolved = "name-not-resolved"
    case addressRefused = "address-refused"
    case connectionFailed = "connection-failed"
    case tlsFailed = "tls-failed"
    case certificateRefused = "certificate-refused"
    /// The file of trusted authorities is not readable or contains no certificate.
    case authoritiesUnreadable = "ca-file-unreadable"
    case timedOut = "timed-out"
    case connectionLost = "connection-lost"
    case protocolError = "protocol-error"
    case transportClosed = "transport-closed"
    /// Nothing was sent, because a site no longer serves the key that signed the report's token.
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
