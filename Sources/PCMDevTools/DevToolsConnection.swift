import NIOConcurrencyHelpers
package import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import PCMCore

/// One WebSocket to the browser as a whole.
///
/// Messages are read one after the other, and no further message is read from the socket while a few wait. So the memory that
/// a browser can occupy is bounded, and answers and events have one order.
package struct DevToolsConnection: Sendable {
  /// Chromium sends no larger message unless a page passes more text to the console or in a `data:` URL.
  package static let messageLimit = 16_777_216
  /// Each step of the setup takes milliseconds on loopback.
  package static let setupLimit = TimeAmount.seconds(10)

  /// The browser and its version, such as `Chrome/156.0.0.0`.
  package let product: String
  private let socket: NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
  private let inbound: NIOAsyncChannelInboundStream<WebSocketFrame>
  private let mask: WebSocketMaskingKey?
  private let commands = NIOLockedValueBox(CommandTable())

  /// Connects, performs work, and closes the connection.
  ///
  /// - Parameters:
  ///   - drawing: Returns random bytes, for the keys of the WebSocket.
  ///   - setupLimit: The time for each step of the setup.
  package static func run(
    to address: DevToolsAddress, drawing: @Sendable (Int) -> [UInt8], setupLimit: TimeAmount = setupLimit,
    _ work: @escaping @Sendable (DevToolsConnection) async throws -> Void
  ) async throws(DevToolsError) {
    do {
      let version = try await DevToolsVersion.read(at: address, limit: setupLimit)
      let key = Base64.encode(drawing(16))
      let socket = try await upgrade(address, path: version.path, key: key, limit: setupLimit)
      let mask = WebSocketMaskingKey(drawing(4))
      try await socket.executeThenClose { inbound, _ in
        try await work(
          DevToolsConnection(product: version.product, socket: socket, inbound: inbound, mask: mask))
      }
    } catch let error as DevToolsError {
      throw error
    } catch {
      guard !Task.isCancelled else { throw DevToolsError(.stopped, "the attachment was stopped") }
      throw DevToolsError(.unreachable, "no connection to DevTools at \(address.hostField): \(error)")
    }
  }

  private init(
    product: String, socket: NIOAsyncChannel<WebSocketFrame, WebSocketFrame>,
    inbound: NIOAsyncChannelInboundStream<WebSocketFrame>, mask: WebSocketMaskingKey?
  ) {
    self.product = product
    self.socket = socket
    self.inbound = inbound
    self.mask = mask
  }

  /// Sends a command and returns its number. The answer is one of the received messages.
  @discardableResult package func send(_ command: DevToolsCommand) throws(DevToolsError) -> Int64 {
    // The box rethrows any error, and a table throws only this one.
    let inserted = commands.withLockedValue { table in
      Result { () throws(DevToolsError) -> Int64 in try table.insert(session: command.session) }
    }
    let id = try inserted.get()
    write(.text, ByteBuffer(bytes: command.bytes(id: id)))
    return id
  }

  /// Passes each message on in the order of arrival, until the connection ends or the task is canceled.
  @concurrent package func receive(
    _ handle: @Sendable (DevToolsMessage) async throws -> Void
  ) async throws(DevToolsError) {
    do {
      for try await frame in inbound {
        switch frame.opcode {
        case .text, .binary:
          let bytes = Array(frame.unmaskedData.readableBytesView)
          let read = commands.withLockedValue { table in
            Result { () throws(DevToolsError) -> DevToolsMessage? in try table.message(bytes) }
          }
          if let message = try read.get() { try await handle(message) }
        case .ping: write(.pong, frame.unmaskedData)
        case .connectionClose: throw DevToolsError(.closed, "the browser closed the connection")
        default: break
        }
      }
    } catch let error as DevToolsError {
      throw error
    } catch is CancellationError {
      throw DevToolsError(.stopped, "the attachment was stopped")
    } catch let error as NIOWebSocketError where error == .invalidFrameLength {
      throw DevToolsError(.tooLarge, "the browser sent a message of more than \(Self.messageLimit) bytes")
    } catch NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge {
      throw DevToolsError(.tooLarge, "the browser sent a message of more than \(Self.messageLimit) bytes")
    } catch let error as NIOWebSocketFrameAggregator.Error {
      throw DevToolsError(.malformed, "the browser sent fragments that are not a message: \(error)")
    } catch {
      throw DevToolsError(.closed, "the connection to the browser failed: \(error)")
    }
    guard !Task.isCancelled else { throw DevToolsError(.stopped, "the attachment was stopped") }
    throw DevToolsError(.closed, "the browser is gone")
  }

  /// Closes the connection, so that ``receive(_:)`` ends.
  func close() { socket.channel.close(promise: nil) }

  /// RFC 6455 demands a new mask for each frame because of proxies, and none is on the way to a loopback address.
  private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
    let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: mask, data: data)
    socket.channel.writeAndFlush(frame, promise: nil)
  }

  /// Opens the WebSocket, without an `Origin` field, which Chromium rejects.
  private static func upgrade(
    _ address: DevToolsAddress, path: String, key: String, limit: TimeAmount
  ) async throws -> NIOAsyncChannel<WebSocketFrame, WebSocketFrame> {
    typealias Socket = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
    let upgraded: EventLoopFuture<Socket?> = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(limit)
      .connect(host: address.connectHost, port: address.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          let upgrader = NIOTypedWebSocketClientUpgrader<Socket?>(
            requestKey: key, maxFrameSize: messageLimit,
            // It closes the channel before the error arrives here.
            enableAutomaticErrorHandling: false,
            upgradePipelineHandler: { channel, _ in
              channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                  NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 4_096, maxAccumulatedFrameSize: messageLimit))
                try channel.pipeline.syncOperations.addHandler(ReadPace(), position: .first)
                return try Socket(wrappingChannelSynchronously: channel)
              }
            })
          let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: path, headers: ["Host": address.hostField, "Content-Length": "0"])
          let configuration = NIOTypedHTTPClientUpgradeConfiguration<Socket?>(
            upgradeRequestHead: head, upgraders: [upgrader],
            notUpgradingCompletionHandler: { channel in channel.eventLoop.makeCompletedFuture { nil } })
          var pipeline = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: configuration)
          // The first message may arrive together with the response.
          pipeline.leftOverBytesStrategy = .forwardBytes
          let result = try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: pipeline)
          let deadline = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
          result.whenComplete { _ in deadline.cancel() }
          return result
        }
      }
    guard let socket = try await upgraded.get() else {
      throw DevToolsError(
        .unreachable, "DevTools at \(address.hostField) refused the WebSocket \(path); restart the browser, and attach again")
    }
    return socket
  }
}
