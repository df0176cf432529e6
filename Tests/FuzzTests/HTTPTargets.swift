import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import PCMCore
import PCMCrypto

@testable import PCMHTTP

extension FuzzTarget {
  /// `Last-Event-ID` and cursors: a position comes back as it was, and a cursor belongs to one list.
  static let cursor = FuzzTarget("cursor") { bytes in
    guard let text = text(bytes) else { return false }
    let cursors = ListCursors("browsers")
    try checkEqual(position(cursors.read(cursors.text(text))), text, "a position")
    try check(position(ListCursors("events").read(cursors.text(text))) == nil, "a cursor of another list")
    let isNumber = try checkNumber(text, cursors)
    guard let position = position(cursors.read(text)) else { return isNumber }
    try checkEqual(Self.position(cursors.read(cursors.text(position))), position, "the position of a cursor")
    return true
  }

  private static func position(_ reading: ListCursors.Reading) -> String? {
    guard case .position(let position) = reading else { return nil }
    return position
  }

  /// Reads the text as the parameter of a list. Returns whether it is a number or a cursor with one.
  private static func checkNumber(_ text: String, _ cursors: ListCursors) throws -> Bool {
    let path = "/v1/browsers?after=\(PercentEncoding.component.encode(text))"
    let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path)
    let query = QueryReader(Request(head: head, body: RequestBody(buffer: ByteBuffer())))
    try checkEqual(query.text("after"), text, "a parameter")
    do {
      let number = try query.numericCursor(cursors, in: "after", orNumber: true)
      try check(number >= 0, "a position is not negative")
      return true
    } catch is Problem {
      return false
    }
  }

  /// The bytes of a connection: the requests do not depend on how the bytes are divided, and each is within the limits.
  static let httpHead = FuzzTarget("http-head") { bytes in
    let whole = try Connection.receive(bytes, pieces: bytes.count)
    var divided = try Connection.receive(bytes, pieces: bytes.count > 512 ? 7 : 1)
    // A head can be both too large and malformed. Which of the two is found first depends on the pieces.
    let areRefused = [whole, divided].allSatisfy { $0.response.prefixMatch(of: #/HTTP/1\.[01] (400|431) /#) != nil }
    if areRefused { divided.response = whole.response }
    try checkEqual(divided, whole, "the bytes in pieces")
    for head in whole.heads { try checkHead(head) }
    try check(whole.response.isEmpty || whole.response.starts(with: "HTTP/1."), "an error is a response")
    return !whole.heads.isEmpty
  }

  private static let limits = ServerLimits()

  private static func checkHead(_ head: HTTPRequest) throws {
    // `ConnectionLimits` adds `Connection: close` to a request of HTTP/1.0.
    try check(head.headerFields.count <= limits.headerFields + 1, "the number of fields is bounded")
    try check(HTTPField.Name("Host").map { head.headerFields[$0] == nil } == true, "the host is the authority")
    let lengths = head.headerFields[values: .contentLength]
    try check(lengths.allSatisfy { Int($0).map { $0 <= limits.bodyBytes } == true }, "the length of a body is bounded")
    guard AccessRules(hosts: ["localhost", "::1"], token: nil).serves(authority: head.authority) else { return }
    let authority = head.authority?.lowercased() ?? ""
    let port = ["localhost", "[::1]"].first { authority.hasPrefix($0) }.map { authority.dropFirst($0.count) }
    try check(port?.wholeMatch(of: /(:[0-9]*)?/) != nil, "the authority is the service's: \(authority)")
  }
}

/// A connection of the service up to the router, without a socket.
private struct Connection {
  /// The requests of a connection and the response to an error.
  struct Outcome: Equatable {
    var heads: [HTTPRequest] = []
    var bodies: [[UInt8]] = []
    var ended = 0
    var response = ""
  }

  /// Delivers bytes to a new connection.
  ///
  /// - Parameter pieces: The number of bytes in each piece.
  static func receive(_ bytes: [UInt8], pieces: Int) throws -> Outcome {
    let limits = ServerLimits()
    let collector = Collector()
    let channel = EmbeddedChannel()
    var decoder = NIOHTTPDecoderLimitConfiguration()
    decoder.maxHeaderFieldSize = limits.headBytes
    decoder.maxHeaderListSize = limits.headBytes
    decoder.maxHeaderFieldCount = limits.headerFields
    let pipeline = channel.pipeline.syncOperations
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
      withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoder)
    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
    try pipeline.addLimits(limits, metricSet: MetricSet(), scheme: "http")
    try pipeline.addHandler(collector)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
    for start in stride(from: 0, to: bytes.count, by: max(1, pieces)) {
      let piece = bytes[start..<min(start + pieces, bytes.count)]
      guard channel.isActive, (try? channel.writeInbound(ByteBuffer(bytes: piece))) != nil else { break }
    }
    while let written = try channel.readOutbound(as: ByteBuffer.self) {
      collector.outcome.response += String(buffer: written)
    }
    _ = try? channel.finish(acceptAlreadyClosed: true)
    // Whether the caller waits for its body depends on the pieces.
    collector.outcome.response.replace("HTTP/1.1 100 Continue\r\n\r\n", with: "")
    return collector.outcome
  }

  private final class Collector: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart

    var outcome = Outcome()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        outcome.heads.append(head)
        outcome.bodies.append([])
      case .body(let bytes):
        let last = outcome.bodies.indices.last ?? 0
        outcome.bodies[last] += Array(bytes.readableBytesView)
      case .end: outcome.ended += 1
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
  }
}
