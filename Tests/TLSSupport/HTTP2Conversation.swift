import NIOCore
import NIOHPACK
import NIOHTTP2

/// One stream of an HTTP/2 connection: one request and its answer.
struct HTTP2Conversation {
  typealias Payload = HTTP2Frame.FramePayload

  let connection: RecordingServer.Connection
  let line: Line<Payload>
  let frames: Line<HTTP2Frame>

  func run() async throws {
    var begun: RecordedRequest?
    for await payload in line.incoming {
      let isComplete: Bool
      switch payload {
      case .headers(let head):
        let request = Self.request(head.headers, connection)
        begun = request
        await connection.script.headArrived(request)
        isComplete = head.endStream || connection.script.moment == .head
      case .data(let data):
        if case .byteBuffer(let bytes) = data.data { begun?.body += bytes.readableBytesView }
        isComplete = data.endStream
      default: continue
      }
      guard isComplete, let request = begun else { continue }
      guard try await send(await connection.script.reply(to: request)) else { return }
    }
  }

  private static func request(_ headers: HPACKHeaders, _ connection: RecordingServer.Connection) -> RecordedRequest {
    RecordedRequest(
      connection: connection.number, version: "2", method: headers.first(name: ":method") ?? "",
      target: headers.first(name: ":path") ?? "", headers: headers.map { RecordedRequest.Header($0.name, $0.value) },
      head: [], body: [], offersResumption: connection.hello.offersResumption)
  }

  /// False when the stream is done with.
  private func send(_ reply: Reply) async throws -> Bool {
    switch reply.manner {
    case .keepOpen, .closeAfter, .raw:
      guard connection.script.moment == .end else { return try await sendAtOnce(reply) }
      try await write(head(of: reply))
      try await write(reply.body, end: true)
    case .breakOff(let count, let code):
      try await write(head(of: reply))
      try await write(reply.body.prefix(count))
      try await write(.rstStream(HTTP2ErrorCode(networkCode: code)))
    case .trickle(let size):
      try await write(head(of: reply))
      for start in stride(from: 0, to: reply.body.count, by: size) { try await write(reply.body[start...].prefix(size)) }
      try await write([], end: true)
    case .endless:
      try await write(head(of: reply))
      while true { try await write(reply.body) }
    case .resetAfter(let count):
      try await write(head(of: reply))
      try await write(reply.body.prefix(count))
      try await untilRead()
      try await connection.end(.reset)
    case .reset: try await connection.end(.reset)
    case .never: return true
    }
    return false
  }

  /// All of it without reading in between, and the end of the stream with it: a client that sees the head
  /// alone may end its request short of the length that it said, which is an error.
  private func sendAtOnce(_ reply: Reply) async throws -> Bool {
    let (channel, head) = (line.channel, head(of: reply))
    let body = Payload.data(.init(data: .byteBuffer(ByteBuffer(bytes: reply.body)), endStream: true))
    try await channel.eventLoop.flatSubmit {
      channel.write(head, promise: nil)
      // Flushed by itself, because the end of a stream drops unflushed frames.
      channel.writeAndFlush(body, promise: nil)
      return channel.writeAndFlush(Payload.rstStream(.noError))
    }.get()
    return false
  }

  /// Waits for the answer to a ping, before which a client reads everything else. Otherwise, libcurl could see the reset when it
  /// acknowledges the settings, and would not read the response. One stream of a connection can wait.
  private func untilRead() async throws {
    try await frames.write(HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(), ack: false)))
    for await frame in frames.incoming {
      if case .ping(_, ack: true) = frame.payload { return }
    }
  }

  private func write(_ bytes: some Sequence<UInt8>, end: Bool = false) async throws {
    try await write(.data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: end)))
  }

  private func write(_ payload: Payload) async throws {
    try await line.write(payload)
  }

  private func head(of reply: Reply) -> Payload {
    var headers = HPACKHeaders([(":status", "\(reply.status)")])
    for header in reply.headers { headers.add(name: header.name.lowercased(), value: header.value) }
    if reply.hasKnownLength { headers.add(name: "content-length", value: "\(reply.body.count)") }
    return .headers(.init(headers: headers))
  }
}
