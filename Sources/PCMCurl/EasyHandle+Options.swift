import CCurl
import PCMCore
import PCMNetwork

extension EasyHandle {
  /// An option and its value, by the type of the value.
  enum Option {
    case number(CURLoption, Int)
    case text(CURLoption, String?)
  }

  /// The options of all requests (reference, section 7): no redirects, referrer, or authentication, and nothing from the
  /// environment. libcurl's defaults apply otherwise, including no cookies.
  nonisolated static let conduct: [Option] = [
    .number(CURLOPT_FOLLOWLOCATION, 0),
    .number(CURLOPT_NOSIGNAL, 1),
    // An empty proxy prevents libcurl from reading `https_proxy` and similar variables.
    .text(CURLOPT_PROXY, ""),
    .text(CURLOPT_NOPROXY, "*"),
    .number(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS)),
    // A CA path, which is a default on Debian, prevents libcurl from caching the parsed bundle: a factor of 33.
    .text(CURLOPT_CAPATH, nil),
    // Otherwise, the end of a transfer during name resolution blocks the loop thread until the resolver finishes. The
    // resolver's thread releases its resources itself.
    .number(CURLOPT_QUICK_EXIT, 1),
  ]

  func apply(_ options: [Option]) throws(CurlError) {
    for option in options {
      switch option {
      case .number(let option, let value): try set(option, value)
      case .text(let option, let value): try set(option, value)
      }
    }
  }

  private func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
    try check(pcm_easy_set_long(pointer, option, value), Self.call(option))
  }

  private func set(_ option: CURLoption, _ value: Bool) throws(CurlError) {
    try set(option, value ? 1 : 0)
  }

  private func set(_ option: CURLoption, _ value: String?) throws(CurlError) {
    try check(pcm_easy_set_text(pointer, option, value), Self.call(option))
  }

  private func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) throws(CurlError) {
    try check(pcm_easy_set_pointer(pointer, option, value), Self.call(option))
  }

  private func set(_ option: CURLoption, _ list: TextList) throws(CurlError) {
    retain(list)
    try check(pcm_easy_set_list(pointer, option, list.first), Self.call(option))
  }

  private static func call(_ option: CURLoption) -> String {
    "curl_easy_setopt(\(curl_easy_option_by_id(option).map { String(cString: $0.pointee.name) } ?? "\(option.rawValue)"))"
  }

  /// Sets the callbacks. Their context is this object, which outlives its handle's transfers.
  func setCallbacks() throws(CurlError) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    try set(CURLOPT_WRITEDATA, context)
    try check(pcm_easy_set_write_function(pointer, receiveBody), Self.call(CURLOPT_WRITEFUNCTION))
    try set(CURLOPT_HEADERDATA, context)
    try check(pcm_easy_set_header_function(pointer, receiveHead), Self.call(CURLOPT_HEADERFUNCTION))
    try set(CURLOPT_OPENSOCKETDATA, context)
    try check(pcm_easy_set_open_socket_function(pointer, openVettedSocket), Self.call(CURLOPT_OPENSOCKETFUNCTION))
    try set(CURLOPT_SSL_CTX_DATA, context)
    try check(pcm_easy_set_tls_function(pointer, setUpConnection), Self.call(CURLOPT_SSL_CTX_FUNCTION))
    try set(CURLOPT_PREREQDATA, context)
    try check(pcm_easy_set_before_request_function(pointer, admitRequestOnce), Self.call(CURLOPT_PREREQFUNCTION))
    try set(CURLOPT_ERRORBUFFER, errorBuffer)
  }

  func setRoute(_ route: NetworkRoute, _ entries: RouteEntries) throws(CurlError) {
    if let connectTo = entries.connectTo { try set(CURLOPT_CONNECT_TO, connectTo) }
    let resolve = entries.rules.resolveEntries(host: url.host, port: url.port)
    if !resolve.isEmpty { try set(CURLOPT_RESOLVE, TextList(resolve)) }
    if let caFile = route.caFile {
      try set(CURLOPT_CAINFO, caFile)
      // The cache, valid for a day, identifies a file by its name, but a test's authority may be new.
      try set(CURLOPT_CA_CACHE_TIMEOUT, 0)
    } else if let file = SystemAuthorities.file {
      try set(CURLOPT_CAINFO, file)
    }
    try set(CURLOPT_SSL_VERIFYPEER, !route.insecure)
    try set(CURLOPT_SSL_VERIFYHOST, route.insecure ? 0 : 2)
    try set(CURLOPT_FRESH_CONNECT, route.freshConnections)
    try set(CURLOPT_FORBID_REUSE, route.freshConnections)
    try set(CURLOPT_SSL_SESSIONID_CACHE, !route.freshConnections)
    // Prefers waiting for a connection with many streams to opening another connection.
    try set(CURLOPT_PIPEWAIT, !route.freshConnections)
    try set(CURLOPT_CONNECTTIMEOUT_MS, Self.timeout(route.connectTimeout))
    try set(CURLOPT_TIMEOUT_MS, Self.timeout(route.totalTimeout))
  }

  /// The timeout for libcurl, for which 0 means no limit.
  private static func timeout(_ interval: Interval) -> Int {
    Int(clamping: max(1, min(interval.milliseconds, Int64(Int32.max))))
  }

  func setRequest(_ request: OutgoingRequest) throws(CurlError) {
    let proxyHeaders = forward == nil ? [] : url.proxyHeaders
    if forward != nil { try url.removeTLS() }
    try check(pcm_easy_set_parsed_url(pointer, url.parsed), Self.call(CURLOPT_CURLU))
    try set(CURLOPT_PROTOCOLS_STR, forward == nil ? request.kind.schemes.joined(separator: ",") : "http")
    try set(CURLOPT_HTTPHEADER, TextList(Self.headerLines(request) + proxyHeaders))
    guard request.method != .get || request.body != nil else { return try set(CURLOPT_HTTPGET, 1) }
    let body = request.body ?? []
    let buffer = uploadBuffer(body.count)
    buffer.copyBytes(from: body)
    try check(
      pcm_easy_set_large(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)), Self.call(CURLOPT_POSTFIELDSIZE_LARGE))
    try set(CURLOPT_POST, 1)
    try set(CURLOPT_POSTFIELDS, buffer.baseAddress)
    if request.method != .post { try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
  }

  /// Enables libcurl's cookie engine for the lifetime of this handle. libcurl selects the cookies for the request and stores
  /// the response's cookies, with rules that include the Public Suffix List.
  func setCookies(_ lines: [String]) throws(CurlError) {
    // An empty name enables the engine without a file.
    try set(CURLOPT_COOKIEFILE, "")
    // Of cookies that are alike to it, libcurl sends the newest first. Browsers send the oldest first (RFC 6265, section 5.4).
    for line in lines.reversed() { try set(CURLOPT_COOKIELIST, line) }
  }

  /// Frees the names of cookie files. A reset of libcurl 7.88 forgets them without freeing them.
  func removeCookieFiles() {
    pcm_easy_set_text(pointer, CURLOPT_COOKIEFILE, nil)
  }

  /// The options that a probe changes.
  func setTerms(_ terms: ConnectionTerms) throws(CurlError) {
    try set(CURLOPT_CERTINFO, true)
    if !terms.offersHTTP2 { try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)) }
    try set(CURLOPT_SSLVERSION, terms.tls.versions)
    // OpenSSL 3 rejects the hashes of these versions as too weak at any other level.
    if terms.tls == .before12 { try set(CURLOPT_SSL_CIPHER_LIST, "DEFAULT:@SECLEVEL=0") }
    if terms.endsWithHandshake { try set(CURLOPT_CONNECT_ONLY, true) }
  }

  /// The headers of the request, and an empty header for each that libcurl must not add.
  private static func headerLines(_ request: OutgoingRequest) throws(CurlError) -> [String] {
    var lines = ["Expect:"]
    var hasContentType = false
    for header in request.headers {
      guard !(header.name + header.value).utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
        throw CurlError(TransportFailure(.protocolError, "the header \(header.name) has a line break"))
      }
      hasContentType = hasContentType || header.name.lowercased() == "content-type"
      lines.append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
    }
    if !hasContentType { lines.append("Content-Type:") }
    return lines
  }
}

extension ConnectionTerms.TLSVersion {
  /// The first and the last version.
  fileprivate var versions: Int {
    switch self {
    case .browser: Int(CURL_SSLVERSION_TLSv1_2) | Int(CURL_SSLVERSION_MAX_TLSv1_3)
    case .from13: Int(CURL_SSLVERSION_TLSv1_3) | Int(CURL_SSLVERSION_MAX_TLSv1_3)
    case .before12: Int(CURL_SSLVERSION_TLSv1_0) | Int(CURL_SSLVERSION_MAX_TLSv1_1)
    }
  }
}

extension OutgoingRequest.Kind {
  /// The URL schemes that such a request may use.
  var schemes: [String] {
    switch self {
    case .measurement: ["https"]
    case .pageLoad, .call: ["https", "http"]
    }
  }
}

/// libcurl's `curl_write_callback`.
private func receiveBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let handle = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
  return handle.receive(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}

/// libcurl's callback for each line of a head and of a trailer.
private func receiveHead(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let handle = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
  return handle.admitHead(size * count) ? size * count : 0
}

/// libcurl's `curl_ssl_ctx_callback`.
private func setUpConnection(
  _ pointer: UnsafeMutableRawPointer?, _ tlsContext: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?
) -> CURLcode {
  guard let context, let tlsContext else { return CURLE_SSL_CONNECT_ERROR }
  let handle = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
  return handle.setUpTLS(OpaquePointer(tlsContext)) ? CURLE_OK : CURLE_OUT_OF_MEMORY
}

/// libcurl's `curl_prereq_callback`.
private func admitRequestOnce(
  _ context: UnsafeMutableRawPointer?, _ remoteAddress: UnsafeMutablePointer<CChar>?,
  _ localAddress: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
  guard let context else { return CURL_PREREQFUNC_ABORT }
  let handle = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
  return handle.admitRequest() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
