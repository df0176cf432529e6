/// Writes the members of one event as a JSON object, in their order, directly into bytes.
struct EventWriter {
  private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]

  init() {
    bytes.reserveCapacity(512)
  }

  /// Ends the object and returns it.
  consuming func finish() -> [UInt8] {
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  /// A member that is null when there is no text.
  mutating func member(_ name: String, _ text: String?) {
    begin(name)
    if let text { JSON.write(text, into: &bytes) } else { null() }
  }

  /// A member that is null when there is no number.
  mutating func member(_ name: String, _ number: Int64?) {
    begin(name)
    if let number { bytes.append(contentsOf: String(number).utf8) } else { null() }
  }

  mutating func member(_ name: String, _ value: Bool) {
    member(name, json: .bool(value))
  }

  mutating func member(_ name: String, _ site: Site?) {
    member(name, site?.domain)
  }

  mutating func member(_ name: String, _ instant: Instant) {
    member(name, instant.text)
  }

  mutating func member(_ name: String, _ reasons: [Reason]) {
    member(name, json: .array(reasons.map(\.json)))
  }

  mutating func member(_ name: String, json value: JSON) {
    begin(name)
    value.write(into: &bytes)
  }

  static let decisionName = "decision"

  /// The member `decision`, which is absent when there is none. It is the last member of every event.
  mutating func decision(_ decision: RecordedDecision?) {
    if let decision { member(Self.decisionName, json: decision.json) }
  }

  private mutating func begin(_ name: String) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    JSON.write(name, into: &bytes)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func null() {
    bytes.append(contentsOf: "null".utf8)
  }
}
