import NIOConcurrencyHelpers
package import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import PCMCore

/// A WebSocket connection to a browser.
///
/// Messages are read in order, and reading from the socket pauses while several messages wait. The number of unsent bytes is
/// limited, and so is the sum of the messages of all connections. This bounds the memory that a browser can occupy.
package struct DevToolsConnection: Sendable {
  /// Chromium exceeds this size only if a page logs a longer text to the console or has a longer `data:` URL.
  package static let messageLimit = 16_777_216
  private static let fragmentLimit = 4_096
  /// The memory of a frame in bytes, without its data.
  private static let frameOverhead = 64
  /// The maximum size of unsent commands in bytes.
  package static let unsentLimit = 16_777_216
  /// Each step of the setup takes milliseconds on loopback.
  package static let setupLimit = TimeAmount.seconds(10)

  /// The browser and its version, such as `Chrome/156.0.0.0`.
  package let product: String
  private typealias Socket = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

  private let socket: Socket
  private let inbound: NIOAsyncChannelInboundStream<WebSocketFrame>
  private let mask: WebSocketMaskingKey?
  private let held: HeldBytes
  private let commands = NIOLockedValueBox(CommandTable())

  /// Connects, performs the work, and closes the connection.
  ///
  /// - Parameters:
  ///   - drawing: Returns random bytes for the keys of the WebSocket.
  ///   - setupLimit: The maximum time of each step of the setup. Canceling the task also ends a step.
  ///   - budget: The memory that the connection shares with others.
  package static func run(
    to address: DevToolsAddress, drawing: @Sendable (Int) -> [UInt8], setupLimit: TimeAmount = setupLimit,
    budget: MessageBudget = MessageBudget(), _ work: @escaping @Sendable (DevToolsConnection) async throws -> Void
  ) async throws(DevToolsError) {
    let held = HeldBytes(budget)
    defer { held.end() }
    do {
      let version = try await DevToolsVersion.read(at: address, limit: setupLimit)
      let key = Base64.encode(drawing(16))
      let socket = try await upgrade(address, path: version.path, key: key, limit: setupLimit, held)
      let mask = WebSocketMaskingKey(drawing(4))
      try await socket.executeThenClose { inbound, _ in
        try await work(
          DevToolsConnection(product: version.product, socket: socket, inbound: inbound, mask: mask, held: held))
      }
    } catch let error as DevToolsError {
      throw error
    } catch {
      guard !Task.isCancelled else { throw .stopped }
      throw DevToolsError(
        .unreachable, "no connection to DevTools at \(address.hostField): \(DevToolsError.cause(error))")
    }
  }

  private init(
    product: String, socket: Socket,
    inbound: NIOAsyncChannelInboundStream<WebSocketFrame>, mask: WebSocketMaskingKey?, held: HeldBytes
  ) {
    self.product = product
    self.socket = socket
    self.inbound = inbound
    self.mask = mask
    self.held = held
  }

  /// Sends a command and returns its number. The answer is a received message.
  @discardableResult package func send(_ command: DevToolsCommand) throws(DevToolsError) -> Int64 {
    // The lock rethrows any error, and the table throws only `DevToolsError`.
    let inserted = commands.withLockedValue { table in
      Result { () throws(DevToolsError) -> Int64 in try table.insert(session: command.session) }
    }
    let id = try inserted.get()
    try write(.text, ByteBuffer(bytes: command.bytes(id: id)))
    return id
  }

  /// Passes each message to a closure in the order of arrival, until the connection ends or the task is canceled.
  @concurrent package func receive(
    _ handle: @Sendable (DevToolsMessage) async throws -> Void
  ) async throws(DevToolsError) {
    do {
      for try await frame in inbound {
        switch frame.opcode {
        case .text, .binary:
          let bytes = Array(frame.data.readableBytesView)
          defer { held.add(-bytes.count, to: .waiting) }
          let read = commands.withLockedValue { table in
            Result { () throws(DevToolsError) -> DevToolsMessage? in try table.message(bytes) }
          }
          if let message = try read.get() { try await handle(message) }
        case .ping: try write(.pong, frame.data)
        case .connectionClose: throw DevToolsError(.closed, "the browser closed the connection")
        default: break
        }
      }
    } catch {
      throw Self.end(error)
    }
    guard !Task.isCancelled else { throw .stopped }
    throw DevToolsError(.closed, "the browser is gone")
  }

  /// Returns the reason a connection ended with an error.
  private static func end(_ error: any Error) -> DevToolsError {
    switch error {
    case let error as DevToolsError: error
    case is CancellationError: .stopped
    case NIOWebSocketError.invalidFrameLength, NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge:
      DevToolsError(.tooLarge, "the browser sent a message of more than \(messageLimit) bytes")
    case NIOWebSocketFrameAggregator.Error.tooManyFragments:
      DevToolsError(.tooLarge, "the browser sent a message of more than \(fragmentLimit) fragments")
    case is NIOWebSocketError:
      DevToolsError(.malformed, "the browser sent a control frame that is longer than 125 bytes, or in fragments")
    case is NIOWebSocketFrameAggregator.Error:
      DevToolsError(.malformed, "the browser sent fragments that are not a message")
    default: DevToolsError(.closed, "the connection to the browser failed: \(DevToolsError.cause(error))")
    }
  }

  /// Closes the connection, so that ``receive(_:)`` ends.
  func close() { socket.channel.close(promise: nil) }

  /// Writes a frame. RFC 6455 requires a new mask for each frame because of proxies, which a loopback connection does not
  /// have.
  ///
  /// - Throws: An error if the browser does not read.
  private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) throws(DevToolsError) {
    let size = data.readableBytes + Self.frameOverhead
    guard held.add(size, to: .unsent) else { throw .overBudget }
    guard held.count(of: .unsent) <= Self.unsentLimit else {
      throw DevToolsError(.tooLarge, "the browser left \(Self.unsentLimit) bytes of commands unread; restart it")
    }
    let sent = socket.channel.eventLoop.makePromise(of: Void.self)
    sent.futureResult.whenComplete { [held] _ in held.add(-size, to: .unsent) }
    socket.channel.writeAndFlush(WebSocketFrame(fin: true, opcode: opcode, maskKey: mask, data: data), promise: sent)
  }

  /// Opens the WebSocket, without an `Origin` field, which Chromium rejects.
  private static func upgrade(
    _ address: DevToolsAddress, path: String, key: String, limit: TimeAmount, _ held: HeldBytes
  ) async throws -> Socket {
    let opening = OpeningChannel()
    return try await withTaskCancellationHandler {
      let upgraded: EventLoopFuture<Socket?> = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connectTimeout(limit)
        .connect(host: address.connectHost, port: address.port) { channel in
          channel.eventLoop.makeCompletedFuture {
            try opening.note(channel)
            return try prepare(channel, for: address, path: path, key: key, limit: limit, held)
          }
        }
      guard let socket = try await upgraded.get() else {
        throw DevToolsError(
          .unreachable,
          "DevTools at \(address.hostField) refused the WebSocket \(path); "
            + "start the browser again, or give its present address, and attach again")
      }
      return socket
    } onCancel: {
      opening.close()
    }
  }

  /// Adds the handlers of the upgrade to a channel. The handlers of the WebSocket follow the upgrade.
  private static func prepare(
    _ channel: any Channel, for address: DevToolsAddress, path: String, key: String, limit: TimeAmount, _ held: HeldBytes
  ) throws -> EventLoopFuture<Socket?> {
    let upgrader = NIOTypedWebSocketClientUpgrader<Socket?>(
      requestKey: key, maxFrameSize: messageLimit,
      // Automatic error handling closes the channel before the error arrives here.
      enableAutomaticErrorHandling: false,
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandlers([
            FrameRules(held),
            NIOWebSocketFrameAggregator(
              minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: fragmentLimit, maxAccumulatedFrameSize: messageLimit),
          ])
          try pipeline.addHandlers([ReadPace(), ReceivedBytes(held)], position: .first)
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

/// A channel that closes if the task is canceled while it opens.
private final class OpeningChannel: Sendable {
  private let state = NIOLockedValueBox<(channel: (any Channel)?, isClosed: Bool)>((nil, false))

  func note(_ channel: any Channel) throws {
    guard
      !state.withLockedValue({ state in
        state.channel = channel
        return state.isClosed
      })
    else { throw CancellationError() }
  }

  func close() {
    let channel = state.withLockedValue { state in
      state.isClosed = true
      return state.channel
    }
    channel?.close(promise: nil)
  }
}
