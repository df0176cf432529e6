import NIOConcurrencyHelpers
import NIOCore
import NIOWebSocket

/// The memory for large messages, shared by all connections to browsers.
package final class MessageBudget: Sendable {
  package static let limit = 67_108_864
  /// The additional memory of each connection, so that large messages of other connections do not end it.
  static let allowance = 262_144

  private let limit: Int
  private let held = NIOLockedValueBox(0)

  package init(limit: Int = limit) {
    self.limit = limit
  }

  /// Returns whether the sum is within the limit.
  fileprivate func add(_ count: Int) -> Bool {
    held.withLockedValue { held in
      held += count
      return count <= 0 || held <= limit
    }
  }
}

/// The bytes that a connection holds: incomplete messages, unread messages, and unsent commands.
final class HeldBytes: Sendable {
  enum Kind: Hashable {
    case incomplete, waiting, unsent
  }

  private struct State {
    var counts: [Kind: Int] = [:]
    var isOver = false

    var charge: Int { isOver ? 0 : max(0, counts.values.reduce(0, +) - MessageBudget.allowance) }
  }

  private let budget: MessageBudget
  private let state = NIOLockedValueBox(State())

  init(_ budget: MessageBudget) {
    self.budget = budget
  }

  /// Returns whether the connections are within their budget.
  @discardableResult func add(_ count: Int, to kind: Kind) -> Bool { change { $0.counts[kind, default: 0] += count } }

  /// Notes that a message is complete and unread.
  func complete(_ count: Int) {
    change { ($0.counts[.incomplete], $0.counts[.waiting]) = (0, ($0.counts[.waiting] ?? 0) + count) }
  }

  func count(of kind: Kind) -> Int { state.withLockedValue { $0.counts[kind] ?? 0 } }

  /// Notes that the connection has ended.
  func end() { change { $0.isOver = true } }

  @discardableResult private func change(_ change: (inout State) -> Void) -> Bool {
    state.withLockedValue { state in
      let before = state.charge
      change(&state)
      guard !budget.add(state.charge - before) else { return true }
      // A connection that exceeds the budget ends and frees its memory at once, so that the other connections continue.
      _ = budget.add(-state.charge)
      state.isOver = true
      return false
    }
  }
}

/// Counts the received bytes, and closes the connection when the budget is exceeded.
final class ReceivedBytes: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  private let held: HeldBytes

  init(_ held: HeldBytes) {
    self.held = held
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard held.add(Self.unwrapInboundIn(data).readableBytes, to: .incomplete) else {
      context.fireErrorCaught(DevToolsError.overBudget)
      return context.close(promise: nil)
    }
    context.fireChannelRead(data)
  }
}

/// Rejects frames that are invalid from a server (RFC 6455, sections 5.1 and 5.2), and notes when a message is complete.
final class FrameRules: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = WebSocketFrame
  private let held: HeldBytes
  /// The size of the incomplete message.
  private var size = 0

  init(_ held: HeldBytes) {
    self.held = held
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = Self.unwrapInboundIn(data)
    if let fault = Self.fault(of: frame) {
      context.fireErrorCaught(DevToolsError(.malformed, "the browser sent a frame \(fault)"))
      return context.close(promise: nil)
    }
    let isControl = frame.opcode.isControlOpcode
    size += isControl ? 0 : frame.data.readableBytes
    if isControl ? size == 0 : frame.fin {
      held.complete(size)
      size = 0
    }
    context.fireChannelRead(data)
  }

  private static func fault(of frame: WebSocketFrame) -> String? {
    if frame.maskKey != nil { return "with a mask, which only clients use" }
    if frame.rsv1 || frame.rsv2 || frame.rsv3 { return "with reserved bits, and no extension is in use" }
    switch frame.opcode {
    case .continuation, .text, .binary, .connectionClose, .ping, .pong: return nil
    default: return "with the reserved opcode \(UInt8(webSocketOpcode: frame.opcode))"
    }
  }
}
