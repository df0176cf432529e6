import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Why a connection to a browser could not begin, or ended.
package struct DevToolsError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Hashable, Sendable {
    /// The address is not `http://HOST:PORT`.
    case invalidAddress = "invalid-address"
    /// The address is not a loopback address, and its host is not allowed.
    case notLoopback = "not-loopback"
    /// Nothing at the address responds as a browser's DevTools.
    case unreachable
    /// The browser sent what the protocol does not allow.
    case malformed
    /// A message, or the number of unanswered commands, exceeds its limit.
    case tooLarge = "too-large"
    /// The browser closed the connection, or is gone.
    case closed
    /// The attachment was ended on this side.
    case stopped
    /// The context is observed already.
    case attachedAlready = "attached-already"
    /// The service has as many attachments as it may have.
    case tooMany = "too-many"
  }

  package let code: Code
  /// A sentence without a period: what is wrong, then what to do.
  package let description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

extension DevToolsError {
  static let stopped = DevToolsError(.stopped, "the attachment was stopped")
  static let overBudget = DevToolsError(
    .tooLarge, "the messages of all observed browsers exceed \(MessageBudget.limit) bytes, and this browser's are among them")

  /// Returns the cause of an error of the network, as part of a sentence. The library's own text would name its types.
  static func cause(_ error: any Error) -> String {
    switch error {
    case let error as IOError: String(cString: strerror(error.errnoCode))
    case is NIOConnectionError, is SocketAddressError: "no connection was accepted"
    case ChannelError.connectTimeout: "no connection was accepted in time"
    case is ChannelError: "the connection was closed"
    case is HTTPParserError, is NIOHTTPDecoderError: "the response is not HTTP"
    case is NIOHTTPObjectAggregatorError: "the response is larger than \(DevToolsVersion.bodyLimit) bytes"
    default: "the response is not one of DevTools"
    }
  }
}
