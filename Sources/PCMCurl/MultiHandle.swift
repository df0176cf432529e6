import CCurl
import Foundation

/// The owner of the multi handle. Everything except `wake` is confined to the thread that first calls `confine`, which is
/// checked.
///
/// `@unchecked Sendable`: `curl_multi_wakeup` may be called from any thread before `close`. All other calls pass the check.
final class MultiHandle: @unchecked Sendable {
  private let pointer: UnsafeMutableRawPointer
  private var owner: pthread_t?
  private var isClosed = false

  /// Initializes libcurl, including TLS, once per process before the first handle.
  private static let globalSetUp = Result(catching: { try check(curl_global_init(Int(CURL_GLOBAL_ALL)), "curl_global_init") })

  init(maximumConnections: Int) throws {
    try Self.globalSetUp.get()
    guard let pointer = curl_multi_init() else { throw CurlError(call: "curl_multi_init", text: "out of memory") }
    self.pointer = pointer
    // A multiple of the handles in use would close connections whenever the load drops.
    try check(pcm_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, maximumConnections), "curl_multi_setopt(MAXCONNECTS)")
    try check(
      pcm_multi_set_long(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, maximumConnections),
      "curl_multi_setopt(MAX_TOTAL_CONNECTIONS)")
  }

  deinit {
    if !isClosed { curl_multi_cleanup(pointer) }
  }

  /// Closes all connections. The handle must not be used after this.
  func close() {
    checkConfinement()
    curl_multi_cleanup(pointer)
    isClosed = true
  }

  /// Confines the handle to the calling thread.
  func confine() {
    owner = pthread_self()
  }

  private func checkConfinement() {
    precondition(owner.map { pthread_equal($0, pthread_self()) != 0 } ?? false, "the multi handle belongs to its loop thread")
  }

  /// Ends the current or the next `poll`. It may be called from any thread.
  func wake() {
    curl_multi_wakeup(pointer)
  }

  func add(_ handle: EasyHandle) throws(CurlError) {
    checkConfinement()
    try check(curl_multi_add_handle(pointer, handle.pointer), "curl_multi_add_handle")
  }

  func remove(_ handle: EasyHandle) {
    checkConfinement()
    // Fails only for a handle that was not added.
    curl_multi_remove_handle(pointer, handle.pointer)
  }

  /// Performs everything that needs no waiting.
  func perform() throws(CurlError) {
    checkConfinement()
    var running: Int32 = 0
    try check(curl_multi_perform(pointer, &running), "curl_multi_perform")
  }

  /// Waits until a transfer has something to do or `wake` is called, or for a moment when libcurl has no memory to wait.
  func poll() {
    checkConfinement()
    // libcurl shortens the time for its timers; the limit is arbitrary.
    if curl_multi_poll(pointer, nil, 0, 60_000, nil) != CURLM_OK { usleep(10_000) }
  }

  /// Returns the easy handle of the next finished transfer.
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
