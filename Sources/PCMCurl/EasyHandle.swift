import CCurl
import PCMCore
import PCMNetwork

/// The owner of an easy handle and of the memory that libcurl points to: error text, parsed URL, header list,
/// upload body, and response. All of it is freed with the handle. Use it only on the loop thread.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  let url: TargetURL
  private let errorText: UnsafeMutablePointer<CChar>
  private var upload = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// Lists that libcurl reads during the transfer.
  private var lists: [TextList] = []
  private var entries: RouteEntries?
  private(set) var response = ResponseBody(limit: 0)
  private(set) var gate = SocketGate.open
  private(set) var route = NetworkRoute()
  /// The entry that sends the request without TLS; nil for none.
  private(set) var forward: Forward?
  private var mayRepeat = true
  private var requestsSent = 0
  /// The bytes of all heads and trailers of the response. libcurl keeps each field.
  private var headLength = 0
  /// The maximum of `headLength`, as in browsers. libcurl limits each head, but not their number or the trailers.
  static let headLimit = 262_144
  /// The sockets that were opened for this transfer.
  private var sockets: [OpenedSocket] = []
  /// The TLS connection of the transfer; nil before the handshake, and without TLS.
  private(set) var connection: TLSConnection?
  /// Whether the connection counts the request.
  private var isCounted = false
  /// Whether the handshake began and did not end.
  var isInHandshake: Bool { connection != nil && !isCounted }
  /// The length of the request's body.
  private(set) var uploadSize = 0
  /// Whether the transfer was ended early because only libcurl was still waiting.
  private(set) var isAnsweredInFull = false
  /// Whether the handle has ever had cookies. libcurl keeps cookies and the cookie engine across a reset, so such a handle
  /// is not reused: no report can be sent with it.
  private(set) var hasHadCookies = false
  /// Whether the transfer is a probe. Such a handle is not reused, because reports must not use a connection that was
  /// opened without a request.
  private(set) var isInspecting = false

  /// Whether the handle may serve another transfer.
  var isReusable: Bool { !hasHadCookies && !isInspecting }

  init() throws(CurlError) {
    url = try TargetURL()
    guard let pointer = curl_easy_init() else { throw CurlError(call: "curl_easy_init", text: "out of memory") }
    self.pointer = pointer
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(pointer)
    errorText.deallocate()
    upload.deallocate()
  }

  /// Prepares the handle for one transfer. `finish` reverts this, even after an error in this method.
  func prepare(_ transfer: Transfer, _ entries: RouteEntries) throws(CurlError) {
    let (request, route) = (transfer.request, transfer.route)
    self.route = route
    self.entries = entries
    response = ResponseBody(limit: route.responseLimit)
    requestsSent = 0
    headLength = 0
    sockets = []
    uploadSize = request.body?.count ?? 0
    isAnsweredInFull = false
    mayRepeat = request.method == .get
    try url.read(request.url, schemes: request.kind.schemes)
    forward = route.forward(of: url.host)
    if let host = entries.rules.lookedUpHost(host: url.host, port: url.port),
      DeviceRequest.isFromSDK(request) && host == url.host.lowercased() || SDKURLStrategy.hasHost(host)
    {
      throw CurlError(
        TransportFailure(
          .addressRefused,
          "\(host) belongs to a measurement SDK and is not contacted; map it to your endpoint with --connect-to or --resolve"))
    }
    gate =
      route.allowPrivateNetworks || entries.rules.nameTarget(host: url.host, port: url.port)
      ? .open : .publicOnly(rejected: nil)
    try apply(Self.conduct)
    try setCallbacks()
    try setRoute(route, entries)
    try setRequest(request)
    if case .pageLoad(let cookies) = request.kind {
      hasHadCookies = true
      try setCookies(cookies.map(\.line))
    }
    if let terms = transfer.terms {
      isInspecting = true
      try setTerms(terms)
    }
  }

  /// Releases the resources of the transfer, so that no state reaches the next one.
  func finish() {
    leaveConnection()
    if hasHadCookies { removeCookieFiles() }
    curl_easy_reset(pointer)
    errorText[0] = 0
    entries = nil
    lists.removeAll(keepingCapacity: true)
    response = ResponseBody(limit: 0)
  }

  /// Returns libcurl's error text, or its general text for the result.
  func text(of result: CURLcode) -> String {
    Self.clause(hasNoErrorText ? String(cString: curl_easy_strerror(result)) : String(cString: errorText))
  }

  /// libcurl's text without a period or line break at its end, for use in a sentence.
  nonisolated static func clause(_ text: String) -> String {
    text.lastIndex { $0 != "." && !$0.isWhitespace }.map { String(text[...$0]) } ?? ""
  }

  /// Returns memory for a body of this size, valid until the next call. It lives as long as the handle, which may read it at
  /// any time.
  func uploadBuffer(_ count: Int) -> UnsafeMutableRawBufferPointer {
    // The buffer of a large body is not kept for small bodies.
    if upload.count < count || upload.count > 65_536 {
      upload.deallocate()
      upload = .allocate(byteCount: max(count, 1_024), alignment: 1)
    }
    return UnsafeMutableRawBufferPointer(rebasing: upload[..<count])
  }

  /// Whether libcurl wrote no error text.
  var hasNoErrorText: Bool { errorText[0] == 0 }

  /// The buffer for libcurl's error text.
  var errorBuffer: UnsafeMutableRawPointer { UnsafeMutableRawPointer(errorText) }

  /// Keeps a list until the transfer ends.
  func retain(_ list: TextList) {
    lists.append(list)
  }

  /// Receives bytes from libcurl's write callback. Returning false ends the transfer.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard response.append(bytes) else { return false }
    isAnsweredInFull = isStuckBehindAnswer
    return !isAnsweredInFull
  }

  /// Counts bytes of a head or a trailer. Returning false ends the transfer.
  func admitHead(_ count: Int) -> Bool {
    headLength += count
    return !hasTooLongHead
  }

  /// Whether the transfer ended because the heads and trailers exceed their limit.
  var hasTooLongHead: Bool { headLength > Self.headLimit }

  /// Keeps the socket that libcurl opened.
  func opened(_ socket: curl_socket_t) {
    if let socket = OpenedSocket(socket) { sockets.append(socket) }
  }

  /// The maximum number of bytes of a connection for this transfer: its head and body, the overhead of TLS and HTTP, and
  /// `TLSConnection.overhead`.
  private var wireLimit: Int { TLSConnection.overhead + Self.headLimit + 2 * route.responseLimit }

  /// Called by libcurl before the handshake of a new connection. Returns false without memory.
  func setUpTLS(_ context: OpaquePointer) -> Bool {
    // libcurl connects to several addresses at a time, and closes all sockets but one before the handshake. A connection that
    // was reset in the meantime has none.
    let socket = sockets.first(where: \.isConnected)?.descriptor ?? -1
    let connection = TLSConnection(socket: socket, verifying: route.insecure ? nil : url.host, allowance: wireLimit)
    guard connection.attach(to: context) else { return false }
    leaveConnection()
    self.connection = connection
    return true
  }

  /// Counts the request on its connection, which may have served others.
  private func enterConnection() {
    leaveConnection()
    connection = pcm_easy_tls_object(pointer).flatMap { TLSConnection.of(OpaquePointer($0)) }
    connection?.beginRequest(allowance: wireLimit)
    isCounted = connection != nil
  }

  private func leaveConnection() {
    if isCounted { connection?.endRequest(allowance: wireLimit) }
    isCounted = false
    connection = nil
  }

  /// Called by libcurl before it opens a socket.
  func vet(_ address: [UInt8], text: @autoclosure () -> String) -> Bool {
    gate.admits(address, text: text())
  }

  /// Called by libcurl before it sends a request. libcurl repeats a request when a reused connection breaks before the
  /// response. The server may have processed the first request, and a report is sent at most once, so only safe requests may
  /// be repeated.
  func admitRequest() -> Bool {
    requestsSent += 1
    enterConnection()
    return requestsSent == 1 || mayRepeat
  }

  /// Whether the transfer ended because `admitRequest` returned false.
  var wasKeptFromRepeating: Bool { requestsSent > 1 && !mayRepeat }
}
