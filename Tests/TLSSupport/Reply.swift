/// The answer of a `RecordingServer`.
package struct Reply: Sendable {
  package var status: Int
  /// The headers other than `Content-Length`, which is written for a body of known length.
  package var headers: [RecordedRequest.Header]
  package var body: [UInt8]
  package var manner: Manner

  package enum Manner: Hashable, Sendable {
    /// The whole answer; the connection stays.
    case keepOpen
    /// The whole answer, with `Connection: close` over HTTP/1.1, and then an orderly end.
    case closeAfter
    /// The body in pieces of so many bytes, each flushed by itself.
    case trickle(Int)
    /// The body again and again until the client goes away.
    case endless
    /// The head, so many bytes of the body, and then a TCP reset.
    case resetAfter(Int)
    /// The head, so many bytes of the body, and then the end of the stream (RST_STREAM) with this code: 0 is no error, 8
    /// is CANCEL. Over HTTP/1.1, which has no streams, like `resetAfter`.
    case breakOff(after: Int, code: Int)
    /// A TCP reset instead of an answer.
    case reset
    /// No answer; the connection stays open until the client closes it.
    case never
    /// These bytes instead of an HTTP answer, and then an orderly end. Over HTTP/1.1 only.
    case raw([UInt8])
  }

  package init(
    _ status: Int = 200, headers: [RecordedRequest.Header] = [], body: [UInt8] = [], _ manner: Manner = .keepOpen
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.manner = manner
  }

  /// An empty answer given in this manner.
  package init(_ manner: Manner) {
    self.init(200, manner)
  }

  package static func redirect(to location: String, status: Int = 302) -> Reply {
    Reply(status, headers: [RecordedRequest.Header("Location", location)])
  }

  /// Whether the answer's length is said in advance.
  var hasKnownLength: Bool { manner != .endless }
}
