import NIOCore

/// HTTP/1.1 by hand, just enough to record requests byte for byte: requests one after the other, bodies by
/// `Content-Length`.
struct HTTP1Conversation {
  private let connection: RecordingServer.Connection
  private let line: Line<ByteBuffer>
  private var buffer = ByteBuffer()
  /// The request whose head has been read and whose body has not.
  private var begun: RecordedRequest?

  init(connection: RecordingServer.Connection, line: Line<ByteBuffer>) {
    self.connection = connection
    self.line = line
  }

  /// Until the client goes away or an answer ends the connection.
  mutating func run() async throws {
    for await var bytes in line.incoming {
      buffer.writeBuffer(&bytes)
      while let request = await nextRequest() {
        guard try await send(await connection.script.reply(to: request)) else { return }
      }
    }
  }

  /// Nil until all of it has come.
  private mutating func nextRequest() async -> RecordedRequest? {
    if begun == nil, let head = nextHead() {
      let request = Self.parse(head, connection)
      begun = request
      await connection.script.headArrived(request)
    }
    guard var request = begun else { return nil }
    let count = request["Content-Length"].first.flatMap { Int($0) } ?? 0
    guard let body = buffer.readBytes(length: count) else { return nil }
    request.body = body
    begun = nil
    return request
  }

  private mutating func nextHead() -> [UInt8]? {
    let end: [UInt8] = [13, 10, 13, 10]
    return buffer.readableBytesView.firstRange(of: end).flatMap { range in
      buffer.readBytes(length: range.upperBound - buffer.readerIndex)
    }
  }

  private static func parse(_ head: [UInt8], _ connection: RecordingServer.Connection) -> RecordedRequest {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    let words = lines.first.map { $0.split(separator: " ") } ?? []
    let headers = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return RecordedRequest.Header(String(parts[0]), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
    }
    return RecordedRequest(
      connection: connection.number, version: words.count > 2 ? String(words[2].dropFirst(5)) : "",
      method: words.first.map(String.init) ?? "", target: words.count > 1 ? String(words[1]) : "", headers: headers,
      head: head, body: [], offersResumption: connection.hello.offersResumption)
  }

  /// Whether the connection goes on.
  private func send(_ reply: Reply) async throws -> Bool {
    switch reply.manner {
    case .keepOpen, .closeAfter:
      try await write(head(of: reply) + reply.body)
    case .trickle(let size):
      try await write(head(of: reply))
      for start in stride(from: 0, to: reply.body.count, by: size) { try await write(reply.body[start...].prefix(size)) }
    case .endless:
      try await write(head(of: reply))
      while true { try await write(reply.body) }
    case .resetAfter(let count), .breakOff(let count, _):
      try await write(head(of: reply) + reply.body.prefix(count))
      try await connection.end(.reset)
    case .reset: try await connection.end(.reset)
    case .never: break
    case .raw(let bytes): try await write(bytes)
    }
    switch reply.manner {
    case .keepOpen, .trickle, .never: return true
    default: return false
    }
  }

  private func write(_ bytes: some Sequence<UInt8>) async throws {
    try await line.write(ByteBuffer(bytes: bytes))
  }

  private func head(of reply: Reply) -> [UInt8] {
    var lines = ["HTTP/1.1 \(reply.status) Scripted"]
    lines += reply.headers.map { "\($0.name): \($0.value)" }
    if reply.hasKnownLength { lines.append("Content-Length: \(reply.body.count)") }
    if reply.manner == .closeAfter || reply.manner == .endless { lines.append("Connection: close") }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }
}
