import CCurl
import PCMCrypto
import PCMNetwork

extension EasyHandle {
  /// Returns the result of a transfer that libcurl has ended.
  func exchange(_ result: CURLcode) -> Exchange {
    exchange(failure: failure(result))
  }

  /// Returns the exchange of a transfer that ended with `failure`, if any.
  func exchange(failure: TransportFailure?) -> Exchange {
    // An interim response (100, 103) is not the response.
    let status = number(CURLINFO_RESPONSE_CODE) >= 200 ? number(CURLINFO_RESPONSE_CODE) : nil
    return Exchange(
      httpStatus: status, failure: failure, httpVersion: status == nil ? nil : httpVersion,
      remoteAddress: text(CURLINFO_PRIMARY_IP), timings: timings, contentType: text(CURLINFO_CONTENT_TYPE),
      location: status == nil ? nil : header("Location"), refresh: status == nil ? nil : header("Refresh"),
      resourcePolicy: status == nil ? nil : header("Cross-Origin-Resource-Policy"),
      cookies: hasHadCookies ? cookieLines?.compactMap(Cookie.init(line:)) : nil,
      body: response.bytes, bodyTruncated: response.isTruncated, insecure: route.insecure,
      forwardedTo: forward?.target)
  }

  private func failure(_ result: CURLcode) -> TransportFailure? {
    // Exceeding the limit ended the transfer. The response counts as read.
    guard result != CURLE_OK, !response.isTruncated, !isAnsweredInFull, !isEarlyAnswer(result) else { return nil }
    if let rejected = gate.rejected, large(CURLINFO_CONNECT_TIME_T) == 0 {
      return TransportFailure(.addressRefused, rejected)
    }
    if let violation = connection?.violation {
      return TransportFailure(.certificateRefused, "browsers reject the certificate: \(violation.detail)")
    }
    if hasTooLongHead {
      return TransportFailure(.protocolError, "the head and trailers of the response have more than \(Self.headLimit) bytes")
    }
    if let connection, connection.isExhausted {
      return TransportFailure(
        .protocolError, "the server sent more than \(connection.limit) bytes, most of them without content")
    }
    if wasKeptFromRepeating {
      return TransportFailure(.connectionLost, "the reused connection broke before a response; the request is not sent twice")
    }
    let (code, text) = (TransportFailure.Code(result), text(of: result))
    guard isInHandshake, let address = self.text(CURLINFO_PRIMARY_IP) else { return TransportFailure(code, text) }
    let target = "\(address.contains(":") ? "[\(address)]" : address):\(number(CURLINFO_PRIMARY_PORT))"
    return TransportFailure(code, Self.handshakeText(code, text, forward: "\(url.host)=http://\(target)"))
  }

  /// Returns the text for a failed handshake. A server without TLS answers with other bytes, or waits for the end of a line.
  nonisolated static func handshakeText(_ code: TransportFailure.Code, _ text: String, forward: String) -> String {
    let advice = "if it speaks plain HTTP, use --forward-to \(forward)"
    if code == .timedOut { return "\(text) in the TLS handshake; \(advice)" }
    let signs = ["wrong version number", "packet length too long", "http request"]
    return code == .tlsFailed && signs.contains(where: text.contains) ? "the server answered without TLS; \(advice)" : text
  }

  /// Whether a complete response arrived over HTTP/2 before the request's body was sent, which a server may do (RFC 9113,
  /// section 8.1; nginx does with `return 200;`). libcurl 7.88 then reports that it cannot send the rest, although the
  /// server closed the stream normally. After a stream reset, its error text contains a message; here, the text is empty. A
  /// reset with NO_ERROR counts as a normal end for libcurl, so the announced length decides whether the response is
  /// complete.
  private func isEarlyAnswer(_ result: CURLcode) -> Bool {
    guard result == CURLE_HTTP2_STREAM, hasNoErrorText, number(CURLINFO_RESPONSE_CODE) >= 200 else { return false }
    let said = large(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    // Negative when the response has no length.
    return said < 0 || said == response.bytes.count
  }

  /// Whether a complete response of known length arrived while the rest of the request's body waits for the flow-control
  /// window. libcurl 7.88 then waits until the timeout, although the server closed the stream (nginx with
  /// `return 200 "text"`, up to 1 MiB). A body that fits into the first window of a stream, such as every report, is sent
  /// without this wait and is not truncated.
  var isStuckBehindAnswer: Bool {
    guard uploadSize > Self.firstWindow, number(CURLINFO_HTTP_VERSION) == Int(CURL_HTTP_VERSION_2_0) else { return false }
    return large(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) == response.bytes.count && large(CURLINFO_SIZE_UPLOAD_T) < uploadSize
  }

  /// The initial flow-control window of a stream (RFC 9113, section 6.9.2).
  private static let firstWindow = 65_535

  /// The facts about the server, for a probe.
  var facts: ProbeExchange {
    var facts = ProbeExchange()
    (facts.certificates, facts.verification) = (certificates, number(CURLINFO_SSL_VERIFYRESULT))
    (facts.setsCookies, facts.headers) = (header("Set-Cookie") != nil, headers)
    return facts
  }

  /// The headers of the last response, without cookies.
  private var headers: [OutgoingRequest.Header] {
    var (headers, previous): ([OutgoingRequest.Header], UnsafeMutablePointer<curl_header>?) = ([], nil)
    while let header = pcm_easy_next_answer_header(pointer, previous) {
      let field = OutgoingRequest.Header(String(cString: header.pointee.name), String(cString: header.pointee.value))
      if field.name.lowercased() != "set-cookie" { headers.append(field) }
      previous = header
    }
    return headers
  }

  /// The certificates, without libcurl's other information about them.
  private var certificates: [String] {
    var chain: UnsafePointer<curl_certinfo>?
    guard pcm_easy_info_certificates(pointer, &chain) == CURLE_OK, let chain = chain?.pointee, let first = chain.certinfo
    else { return [] }
    return (0..<Int(chain.num_of_certs)).compactMap { index in
      let lines = sequence(first: first[index]) { $0?.pointee.next }.prefix { $0 != nil }
      return lines.lazy.compactMap { $0?.pointee.data.map { String(cString: $0) } }
        .first { $0.hasPrefix("Cert:") }.map { String($0.dropFirst(5)) }
    }
  }

  private var timings: Exchange.Timings {
    Exchange.Timings(
      dns: large(CURLINFO_NAMELOOKUP_TIME_T), connect: large(CURLINFO_CONNECT_TIME_T), tls: large(CURLINFO_APPCONNECT_TIME_T),
      firstByte: large(CURLINFO_STARTTRANSFER_TIME_T), total: large(CURLINFO_TOTAL_TIME_T))
  }

  private var httpVersion: String? {
    switch number(CURLINFO_HTTP_VERSION) {
    case Int(CURL_HTTP_VERSION_1_0): "1.0"
    case Int(CURL_HTTP_VERSION_1_1): "1.1"
    case Int(CURL_HTTP_VERSION_2_0): "2"
    case Int(CURL_HTTP_VERSION_3): "3"
    default: nil
    }
  }

  // Unavailable information counts as absent, because callers cannot react to the error.

  private func number(_ info: CURLINFO) -> Int {
    var value = 0
    return pcm_easy_info_long(pointer, info, &value) == CURLE_OK ? value : 0
  }

  private func large(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    return pcm_easy_info_large(pointer, info, &value) == CURLE_OK ? Int64(value) : 0
  }

  private func header(_ name: String) -> String? {
    pcm_easy_answer_header(pointer, name).map { String(cString: $0) }
  }

  /// The cookies of the handle in libcurl's format; nil without memory.
  var cookieLines: [String]? {
    var first: UnsafeMutablePointer<curl_slist>?
    guard pcm_easy_info_list(pointer, CURLINFO_COOKIELIST, &first) == CURLE_OK else { return nil }
    defer { curl_slist_free_all(first) }
    let entries = sequence(first: first) { $0?.pointee.next }.prefix { $0 != nil }
    return entries.compactMap { $0?.pointee.data.map { String(cString: $0) } }
  }

  private func text(_ info: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    guard pcm_easy_info_text(pointer, info, &value) == CURLE_OK, let value, value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}

/// The bytes of a response, up to a limit.
struct ResponseBody {
  private(set) var bytes: [UInt8] = []
  private(set) var isTruncated = false
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  /// Returns false when the body exceeds the limit.
  mutating func append(_ more: UnsafeRawBufferPointer) -> Bool {
    let remainingBytes = max(0, limit - bytes.count)
    bytes.append(contentsOf: more.prefix(remainingBytes))
    isTruncated = more.count > remainingBytes
    return !isTruncated
  }
}
