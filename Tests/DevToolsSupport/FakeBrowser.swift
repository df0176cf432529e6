package import NIOConcurrencyHelpers
import NIOCore
package import NIOHTTP1
import NIOPosix
package import NIOWebSocket
package import PCMCore
package import PCMDevTools

/// The DevTools of a browser on loopback, which can lie.
package final class FakeBrowser: Sendable {
  /// The browser's reaction to a text, or to the opening of the WebSocket.
  package enum Output {
    case text(JSON)
    case raw(String)
    case fragments([String])
    case frame(WebSocketFrame)
    case ping
    case close
    case disconnect
  }

  package struct Script: Sendable {
    /// Status, location, and body of `GET /json/version`; nil for silence.
    package var version: @Sendable (_ port: Int) -> (status: Int, location: String?, body: String)? = { port in
      (200, nil, #"{"Browser":"Chrome/1.0","webSocketDebuggerUrl":"ws://127.0.0.1:\#(port)/devtools/browser/1"}"#)
    }
    /// Whether the browser accepts the WebSocket; nil for silence.
    package var accepts: Bool? = true
    /// Whether the browser reads commands.
    package var reads = true
    package var onOpen: @Sendable () -> [Output] = { [] }
    /// The reaction to a command. By default, each is answered.
    package var onCommand: @Sendable (_ id: Int64, _ command: JSON) -> [Output] = { id, _ in
      [.text(["id": .number(id), "result": [:]])]
    }

    package init() {}
  }

  package let address: DevToolsAddress
  /// The heads of upgrades, and the texts of the client.
  package let heads = NIOLockedValueBox<[HTTPRequestHead]>([])
  package let commands: AsyncStream<JSON>
  private let channel: any Channel

  package init(_ script: Script = Script()) async throws {
    let (stream, received) = AsyncStream.makeStream(of: JSON.self)
    commands = stream
    let heads = heads
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let upgrader = NIOTypedWebSocketServerUpgrader<Void>(
            shouldUpgrade: { channel, head in
              heads.withLockedValue { $0.append(head) }
              let answer = channel.eventLoop.makeSucceededFuture(script.accepts == true ? HTTPHeaders() : nil)
              return script.accepts == nil ? channel.closeFuture.flatMap { answer } : answer
            },
            upgradePipelineHandler: { channel, _ in
              channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(FakeSession(script, received))
              }
            })
          let configuration = NIOTypedHTTPServerUpgradeConfiguration<Void>(
            upgraders: [upgrader],
            notUpgradingCompletionHandler: { channel in
              channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(FakeVersion(script))
              }
            })
          _ = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
            configuration: NIOUpgradableHTTPServerPipelineConfiguration(upgradeConfiguration: configuration))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    address = try DevToolsAddress("http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
  }

  deinit { channel.close(promise: nil) }
}

private final class FakeVersion: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart
  private let script: FakeBrowser.Script

  init(_ script: FakeBrowser.Script) {
    self.script = script
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .end = Self.unwrapInboundIn(data), let answer = script.version(context.localAddress?.port ?? 0) else { return }
    var headers: HTTPHeaders = ["Content-Length": "\(answer.body.utf8.count)"]
    if let location = answer.location { headers.add(name: "Location", value: location) }
    let head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status), headers: headers)
    context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
    context.write(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
  }
}

private final class FakeSession: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame
  private let script: FakeBrowser.Script
  private let received: AsyncStream<JSON>.Continuation

  init(_ script: FakeBrowser.Script, _ received: AsyncStream<JSON>.Continuation) {
    self.script = script
    self.received = received
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if !script.reads { _ = try? context.channel.syncOptions?.setOption(.autoRead, value: false) }
    write(script.onOpen(), context)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = Self.unwrapInboundIn(data)
    if frame.opcode == .pong { received.yield("pong") }
    guard frame.opcode == .text, let json = JSON(parsing: Array(frame.unmaskedData.readableBytesView)) else { return }
    received.yield(json)
    write(script.onCommand(json["id"]?.integer ?? 0, json), context)
  }

  private func write(_ outputs: [FakeBrowser.Output], _ context: ChannelHandlerContext) {
    for output in outputs {
      switch output {
      case .text(let json): write(.text, json.text, context)
      case .raw(let text): write(.text, text, context)
      case .fragments(let parts):
        for (index, part) in parts.enumerated() {
          write(index == 0 ? .text : .continuation, part, isLast: index == parts.count - 1, context)
        }
      case .frame(let frame): context.write(Self.wrapOutboundOut(frame), promise: nil)
      case .ping: write(.ping, "", context)
      case .close: write(.connectionClose, "", context)
      case .disconnect: context.close(promise: nil)
      }
    }
    context.flush()
  }

  private func write(_ opcode: WebSocketOpcode, _ text: String, isLast: Bool = true, _ context: ChannelHandlerContext) {
    let frame = WebSocketFrame(fin: isLast, opcode: opcode, data: ByteBuffer(string: text))
    context.write(Self.wrapOutboundOut(frame), promise: nil)
  }
}
