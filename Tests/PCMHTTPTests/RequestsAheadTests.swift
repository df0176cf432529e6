import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import PCMTelemetry
import Testing

@testable import PCMHTTP

/// Requests that a caller sends before the response to an earlier one.
@Suite struct RequestsAheadTests {
  private let channel = EmbeddedChannel()
  private let reads = Reads()

  init() throws {
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(reads)
    try pipeline.addHandler(RequestsAhead(limit: 100, metricSet: MetricSet()))
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
  }

  /// Counts the reads of input.
  private final class Reads: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart

    var count = 0

    func read(context: ChannelHandlerContext) {
      count += 1
      context.read()
    }
  }

  private func send(head path: String) throws {
    let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path)
    try channel.writeInbound(HTTPRequestPart.head(head))
  }

  private func send(body: String) throws { try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: body))) }

  private func sendEnd() throws { try channel.writeInbound(HTTPRequestPart.end(nil)) }

  private func send(_ path: String) throws {
    try send(head: path)
    try sendEnd()
  }

  private func respond() throws {
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    channel.embeddedEventLoop.run()
  }

  /// The parts that reached the service since the last call.
  private func received() throws -> [String] {
    var parts: [String] = []
    while let part = try channel.readInbound(as: HTTPRequestPart.self) {
      switch part {
      case .head(let head): parts.append(head.path ?? "")
      case .body(let bytes): parts.append(String(buffer: bytes))
      case .end: parts.append(".")
      }
    }
    return parts
  }

  @Test("a request reaches the service after the response to the one before")
  func order() throws {
    try send("/a")
    try send(head: "/b")
    try send(body: "1")
    #expect(try received() == ["/a", "."])
    try respond()
    #expect(try received() == ["/b", "1"])
    try send(body: "2")
    try sendEnd()
    try send("/c")
    try send("/d")
    #expect(try received() == ["2", "."])
    try respond()
    #expect(try received() == ["/c", "."])
    try respond()
    #expect(try received() == ["/d", "."])
    try respond()
    try send("/e")
    #expect(try received() == ["/e", "."])
  }

  @Test("a response before the end of its request does not hold the rest of it")
  func earlyResponse() throws {
    try send(head: "/a")
    try respond()
    try send(body: "1")
    try sendEnd()
    try send("/b")
    #expect(try received() == ["/a", "1", ".", "/b", "."])
  }

  @Test("no held request begins after the caller has closed the connection", arguments: [false, true])
  func departed(_ hasResponse: Bool) throws {
    try send("/a")
    try send("/b")
    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    if hasResponse { try respond() }
    #expect(try received() == ["/a", "."])
  }

  @Test("a connection is closed when its held requests exceed the limit, which the request under way does not count toward")
  func limit() throws {
    try send(head: "/a")
    for _ in 1...20 { try send(body: "0123456789") }
    try sendEnd()
    // 43 bytes each: the path, the authority, and the framing.
    try send("/b")
    try send("/c")
    #expect(channel.isActive)
    try send(head: "/d")
    #expect(!channel.isActive)
  }

  @Test("input is read on while the service prepares a response")
  func reading() throws {
    try send(head: "/a")
    try send(body: "1")
    #expect(reads.count == 0, "the service decides how fast it reads a body")
    try sendEnd()
    #expect(reads.count == 1)
    try send("/b")
    #expect(reads.count == 3)
    try respond()
    #expect(reads.count == 4)
    try respond()
    try send(head: "/c")
    #expect(reads.count == 4)
  }
}
