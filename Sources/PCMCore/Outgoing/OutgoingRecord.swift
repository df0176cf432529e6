/// A message to one recipient with its content: a report of the browser, or a postback of the device.
package protocol OutgoingRecord: Sendable {
  var id: Int64 { get }
  var url: String { get }
  /// The exact body that is sent.
  var body: String { get }
  var message: OutgoingMessage { get set }
  /// The kept attempts in order, each a JSON object as the API returns it: the first, and the latest.
  var attempts: [String] { get set }
}

extension OutgoingRecord {
  package typealias State = OutgoingMessage.State

  package var state: State { message.state }
  package var dueAt: Instant { message.dueAt }
  /// The time of the next attempt after a failed one; otherwise nil.
  package var retryAt: Instant? { message.retryAt }
  /// The number of attempts that ended, kept or not.
  package var attemptCount: Int { message.attempts }
  /// The size of the body and the attempts in bytes.
  package var size: Int { attempts.reduce(body.utf8.count) { $0 + $1.utf8.count } }

  /// Adds the record of an attempt that has ended. Beyond the maximum, the oldest but the first is dropped.
  package mutating func record(_ attempt: String) {
    attempts.append(attempt)
    if attempts.count > OutgoingMessage.maximumKeptAttempts { attempts.remove(at: 1) }
  }
}

extension OutgoingMessage {
  /// The maximum number of kept attempts. Retries to an endpoint that is down would otherwise make a message grow, and each
  /// attempt writes the whole message.
  package static let maximumKeptAttempts = 20
}
