/// The record of an attempt to send a message. The store and the API have it as one JSON text, which is parsed only where a member of
/// it counts.
package struct KeptAttempt: Hashable, Sendable {
  /// A JSON object as the API returns it.
  package let text: String

  package init(text: String) { self.text = text }

  package subscript(member: String) -> JSON? { JSON(parsing: Array(text.utf8))?[member] }

  /// The start on the browser's clock.
  package var at: Instant? { self["at"]?.string.flatMap(Instant.init(text:)) }

  /// The attempt without its member `response`, which can be long.
  package var withoutResponse: JSON {
    .object((JSON(parsing: Array(text.utf8))?.members ?? []).filter { $0.name != "response" })
  }
}
