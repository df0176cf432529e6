import CCurl

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Owner of the multi handle. All but `wake` is for one thread, the first that calls `confine`, and that is checked.
///
/// `@unchecked Sendable`: `curl_multi_wakeup` may be called from any thread; everything else passes the check, and the
/// handle is freed when nobody refers to it any more.
final class MultiHandle: @unchecked Sendable {
  private let pointer: UnsafeMutableRawPointer
  private var owner: pthread_t?

  /// Before the first handle: TLS and the rest of libcurl are set up once in a process.
  private static let globalSetUp = Result(catching: { try check(curl_global_init(Int(CURL_GLOBAL_ALL)), "curl_global_init") })

  init(maximumConnections: Int) throws {
    try Self.globalSetUp.get()
    guard let pointer = curl_multi_init() else { throw CurlError(call: "curl_multi_init", text: "out of memory") }
    self.pointer = pointer
    // Not a multiple of the handles in use, which would close connections in every lull.
    try check(pcm_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, maximumConnections), "curl_multi_setopt(MAXCONNECTS)")
    try check(
      pcm_multi_set_long(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, maximumConnections),
      "curl_multi_setopt(MAX_TOTAL_CONNECTIONS)")
  }

  deinit { curl_multi_cleanup(pointer) }

  /// Makes the calling thread the one that may use the handle.
  func confine() {
    owner = pthread_self()
  }

  private func checkConfinement() {
    precondition(owner.map { pthread_equal($0, pthread_self()) != 0 } ?? false, "the multi handle belongs to its loop thread")
  }

  /// Ends a `poll` under way, or the next one. From any thread.
  func wake() {
    curl_multi_wakeup(pointer)
  }

  func add(_ handle: EasyHandle) throws(CurlError) {
    checkConfinement()
    try check(curl_multi_add_handle(pointer, handle.pointer), "curl_multi_add_handle")
  }

  func remove(_ handle: EasyHandle) {
    checkConfinement()
    // Fails only for a handle that is not in here.
    curl_multi_remove_handle(pointer, handle.pointer)
  }

  /// Does what can be done without waiting.
  func perform() throws(CurlError) {
    checkConfinement()
    var running: Int32 = 0
    try check(curl_multi_perform(pointer, &running), "curl_multi_perform")
  }

  /// Waits until there is something to do for a transfer or `wake` is called.
  func poll() throws(CurlError) {
    checkConfinement()
    // libcurl shortens the time for its own timers; the limit only has to be some number.
    try check(curl_multi_poll(pointer, nil, 0, 60_000, nil), "curl_multi_poll")
  }

  /// The next transfer that is over, by its easy handle.
  func nextFinished() -> (handle: UnsafeMutableRawPointer, result: CURLcode)? {
    checkConfinement()
    var left: Int32 = 0
    while let message = curl_multi_info_read(pointer, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
      return (handle, pcm_message_result(message))
    }
    return nil
  }
}
