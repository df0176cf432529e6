public import Foundation

// With its constants, which a user of the library sees without another import.
@_exported public import struct PCMCore.EventKind

/// An event in a browser's log.
public struct Event: Hashable, Sendable, Decodable {
  /// The sequence number, starting with 1.
  public let sequence: Int
  /// The time on the browser's clock.
  public let at: Date
  /// The kind of event.
  public let kind: Kind
  /// The details. The members depend on the kind.
  public let detail: JSONValue

  /// The kind of an event.
  public typealias Kind = EventKind
}

extension Event: CustomStringConvertible {
  /// One line: `12  2026-11-20T10:00:00.000Z  click-stored  clickId click-12, …`
  public var description: String {
    let detail = detail.description
    return "\(sequence)  \(at.wire)  \(kind)" + (detail.isEmpty ? "" : "  \(detail)")
  }
}

extension Event.Kind: Term {
  /// A click was kept as the ephemeral click.
  public static let clickHeld = ephemeralClickStored
}
