import CCurl
import PCMDelivery

/// Owner of one easy handle and of everything that libcurl keeps a pointer to on its behalf: error text, parsed URL,
/// header list, upload body, response. All of it is freed with the handle. Used on the loop thread only.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  let url: TargetURL
  private let errorText: UnsafeMutablePointer<CChar>
  private var upload = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// Lists that libcurl reads while the transfer lasts.
  private var lists: [TextList] = []
  private(set) var scope: RouteScope?
  private(set) var response = ResponseBody(limit: 0)
  private(set) var gate = SocketGate.open
  private(set) var route = NetworkRoute()
  private var mayRepeat = true
  private var requestsSent = 0
  /// How long the request's body is.
  private(set) var uploadSize = 0
  /// Whether the transfer was ended because there was nothing left to wait for but libcurl.
  private(set) var isAnsweredInFull = false
  /// Whether the handle has ever had cookies. libcurl keeps them, and its readiness for more, over a reset, so such a
  /// handle serves one load and is not used again: no report can go out with it.
  private(set) var hasHadCookies = false
  /// Whether the transfer is an inspection. Such a handle serves once, because a connection that was made without a
  /// request is nothing that a report should find.
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

  /// Makes the handle ready for one transfer. `finish` undoes it, also after a failure in here.
  func prepare(_ transfer: Transfer, scope: RouteScope) throws(CurlError) {
    let (request, route) = (transfer.request, transfer.route)
    self.route = route
    self.scope = scope
    response = ResponseBody(limit: route.responseLimit)
    requestsSent = 0
    uploadSize = request.body?.count ?? 0
    isAnsweredInFull = false
    mayRepeat = request.method == .get
    try url.read(request.url, schemes: request.kind.schemes)
    gate =
      route.allowPrivateNetworks || scope.rules.nameTarget(host: url.host, port: url.port)
      ? .open : .publicOnly(refused: nil)
    try apply(Self.conduct)
    try setCallbacks()
    try setRoute(route, scope)
    try setRequest(request)
    if case .pageLoad(let cookies) = request.kind {
      hasHadCookies = true
      try setCookies(cookies)
    }
    if let inspection = transfer.inspection {
      isInspecting = true
      try setInspection(inspection)
    }
  }

  /// Leaves the scope and drops what the transfer needed. What is left of a transfer does not reach the next one.
  func finish() -> RouteScope? {
    defer { scope = nil }
    curl_easy_reset(pointer)
    errorText[0] = 0
    // A reset keeps the share.
    pcm_easy_set_share(pointer, nil)
    lists.removeAll(keepingCapacity: true)
    response = ResponseBody(limit: 0)
    return scope
  }

  /// What libcurl wrote about a failure, or its general text for the result.
  func text(of result: CURLcode) -> String {
    Self.clause(hasNoErrorText ? String(cString: curl_easy_strerror(result)) : String(cString: errorText))
  }

  /// libcurl's text without the period or line break that some of its messages end with: callers put it in a sentence.
  nonisolated static func clause(_ text: String) -> String {
    text.lastIndex { $0 != "." && !$0.isWhitespace }.map { String(text[...$0]) } ?? ""
  }

  /// Memory for a body of so many bytes, valid until the next call. It lives as long as the handle, which may read it
  /// whenever it likes.
  func uploadBuffer(_ count: Int) -> UnsafeMutableRawBufferPointer {
    // A buffer that one large body needed is not kept for small ones.
    if upload.count < count || upload.count > 65_536 {
      upload.deallocate()
      upload = .allocate(byteCount: max(count, 1_024), alignment: 1)
    }
    return UnsafeMutableRawBufferPointer(rebasing: upload[..<count])
  }

  /// Whether libcurl wrote nothing of its own about what went wrong.
  var hasNoErrorText: Bool { errorText[0] == 0 }

  /// Where libcurl writes what went wrong.
  var errorBuffer: UnsafeMutableRawPointer { UnsafeMutableRawPointer(errorText) }

  /// Keeps a list until the transfer is over.
  func keep(_ list: TextList) {
    lists.append(list)
  }

  /// Called by libcurl's write callback. False ends the transfer.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard response.append(bytes) else { return false }
    isAnsweredInFull = isStuckBehindAnswer
    return !isAnsweredInFull
  }

  /// Called by libcurl before it asks for a socket.
  func vet(_ address: [UInt8], text: @autoclosure () -> String) -> Bool {
    gate.admits(address, text: text())
  }

  /// Called by libcurl before a request goes out. libcurl sends a request a second time when a kept connection breaks
  /// before the answer. The server may have acted on the first, and a report is sent at most once, so only what
  /// changes nothing may go out again.
  func admitRequest() -> Bool {
    requestsSent += 1
    return requestsSent == 1 || mayRepeat
  }

  /// Whether the transfer ended because `admitRequest` refused.
  var wasKeptFromRepeating: Bool { requestsSent > 1 && !mayRepeat }
}
