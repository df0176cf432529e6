import NIOConcurrencyHelpers
import NIOCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Sits between the socket and TLS: keeps the first bytes, and can end the connection without TLS having a say.
final class ConnectionTap: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  enum Order {
    /// Close with a TCP reset.
    case reset
    /// Close without TLS's goodbye, for which a client that is not looking would keep the server waiting.
    case drop
  }

  private let hello: ClientHello

  init(_ hello: ClientHello) {
    self.hello = hello
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hello.append(unwrapInboundIn(data).readableBytesView)
    context.fireChannelRead(data)
  }

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    guard let order = event as? Order else { return context.triggerUserOutboundEvent(event, promise: promise) }
    if order == .reset, let socket = context.channel as? any SocketOptionProvider {
      // Done at once, on the event loop.
      _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
    context.close(promise: promise)
  }
}

/// The first message of a TLS client, with only the needed members (RFC 8446, section 4.1.2).
final class ClientHello: Sendable {
  private let bytes = NIOLockedValueBox<[UInt8]>([])

  /// Keeps the beginning only.
  func append(_ more: ByteBufferView) {
    bytes.withLockedValue { bytes in
      if bytes.count < 16_384 { bytes.append(contentsOf: more) }
    }
  }

  /// Whether there is a `pre_shared_key` extension: an offer to resume a session.
  var offersResumption: Bool {
    var reader = ByteBuffer(bytes: bytes.withLockedValue { $0 })
    // The record's header, the handshake message's header, version and random.
    reader.moveReaderIndex(forwardBy: min(5 + 4 + 2 + 32, reader.readableBytes))
    guard
      reader.readLengthPrefixedSlice(as: UInt8.self) != nil,  // session
      reader.readLengthPrefixedSlice(as: UInt16.self) != nil,  // cipher suites
      reader.readLengthPrefixedSlice(as: UInt8.self) != nil,  // compression methods
      var extensions = reader.readLengthPrefixedSlice(as: UInt16.self)
    else { return false }
    while let type = extensions.readInteger(as: UInt16.self), extensions.readLengthPrefixedSlice(as: UInt16.self) != nil {
      if type == 41 { return true }
    }
    return false
  }
}

extension ByteBuffer {
  fileprivate mutating func readLengthPrefixedSlice<Length: FixedWidthInteger>(as length: Length.Type) -> ByteBuffer? {
    readInteger(as: length).flatMap { readSlice(length: Int($0)) }
  }
}
