import Foundation
import PCMCore
import PCMEndpoint

/// The service and the report endpoint of a demo, as a story uses them: calls over a socket, received messages, and the output.
struct DemoClient: Sendable {
  let service: ServiceClient
  let arrivals: AsyncStream<Entry>
  let say: @Sendable (String) throws -> Void

  func call(
    _ method: String, _ path: String, _ body: String = "", mediaType: String = "application/json"
  ) async throws -> JSON {
    let (status, bytes) = try await service.call(method, path, Array(body.utf8), mediaType: mediaType)
    guard (200..<300).contains(status), let json = JSON(parsing: bytes, keepingNumbers: true) else {
      let detail = JSON(parsing: bytes)?["detail"]?.string
      throw StartError(
        description: "\(method) \(path) returned \(status): \(detail ?? String(decoding: bytes, as: UTF8.self))")
    }
    return json
  }

  /// Prints the outcome of a call with its reasons.
  func sayOutcome(_ answer: JSON) throws {
    let lines = (answer["reasons"] ?? []).items.map { "\n             \($0.text("code")): \($0.text("detail"))" }
    try say("   outcome:  \(answer.text("outcome"))\(lines.joined())")
  }

  /// Prints the reports in the response of an advanced clock.
  func sayDeliveries(_ advanced: JSON) throws {
    for event in (advanced["events"] ?? []).items { try say("   \(event.deliveryLine)") }
    try say("")
  }

  func show(_ received: ReceivedRequest) throws {
    try say("   \(received.method) https://\(received.host)\(received.path)")
    for header in received.headers { try say("   \(header.name): \(header.value)") }
    try say("\n   \(String(decoding: received.body, as: UTF8.self))\n")
  }

  /// Shows the two messages of a kind that arrive.
  func showArrivals(of kind: ReceivedRequest.Kind, _ show: (Entry) throws -> Void) async throws {
    var count = 0
    for await entry in arrivals where entry.received.kind == kind {
      try show(entry)
      count += 1
      if count == 2 { return }
    }
    throw StartError(description: "\(count) of 2 \(kind.rawValue)s arrived")
  }
}

extension JSON {
  /// The string at a path, or the value as JSON.
  func text(_ path: String...) -> String {
    let value = path.reduce(self) { $0[$1] ?? .null }
    return value == .null ? "nothing" : value.string ?? value.text
  }

  /// A line about a report that is under way.
  fileprivate var deliveryLine: String {
    let detail = self["detail"] ?? .null
    let keys = detail["urls"].map { "\(counted($0.items.count, "key")) fetched again" }
    let parts = [detail["recipient"]?.string, keys, detail["httpStatus"]?.integer.map { "status \($0)" }].compactMap { $0 }
    return "\(text("at"))  \(text("kind"))\(parts.isEmpty ? "" : "  \(parts.joined(separator: ", "))")"
  }
}
