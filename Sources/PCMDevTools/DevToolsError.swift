import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// The reason a connection to a browser could not be established, or ended.
package struct DevToolsError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Hashable, Sendable {
    /// The address is not `http://HOST:PORT`.
    case invalidAddress = "invalid-address"
    /// The address is not a loopback address, and its host is not allowed.
    case notLoopback = "not-loopback"
    /// No browser's DevTools responds at the address.
    case unreachable
    /// The browser's response violates the protocol.
    case malformed
    /// A message, or the number of unanswered commands, exceeds its limit.
    case tooLarge = "too-large"
    /// The browser closed the connection, or is gone.
    case closed
    /// The attachment was ended by this process.
    case stopped
    /// The context is already observed.
    case attachedAlready = "attached-already"
    /// The service has the maximum number of attachments.
    case tooMany = "too-many"
  }

  package let code: Code
  /// The problem, then the remedy, as a sentence without a period.
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

  /// Returns the cause of a network error, as part of a sentence. The library's description contains names of its types.
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
