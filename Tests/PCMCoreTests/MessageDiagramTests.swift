import Foundation
import PCMCore
import Testing

/// The state diagram and the table of the article *How a message is sent*, which are generated from the machine.
@Suite struct MessageDiagramTests {
  private static let article = URL(filePath: #filePath).appending(
    path: "../../../Sources/PCMApp/Documentation.docc/Sending.md"
  ).standardized
  private static let advice =
    "if the change is intended, run PCM_RECORD=1 swift test --filter MessageDiagramTests and update the article"

  /// A change of a message that an event makes.
  private struct Transition: Hashable {
    let state: OutgoingMessage.State
    let event: String
    let next: OutgoingMessage.State
    let write: String
    let effect: String
  }

  private static let transitions: [Transition] = OutgoingMessage.State.allCases.flatMap { state in
    MessageEvent.allCases.flatMap { event in transitions(from: state, on: event) }
  }

  /// One, or one for messages with keys to fetch and one for the others.
  private static func transitions(from state: OutgoingMessage.State, on event: MessageEvent) -> [Transition] {
    let (plain, keyed) = (outcome(state, event, needsKeys: false), outcome(state, event, needsKeys: true))
    if plain == keyed { return [transition(state, event.rawValue, plain)].compactMap { $0 } }
    return [
      transition(state, "\(event.rawValue), no keys to fetch", plain),
      transition(state, "\(event.rawValue), keys to fetch", keyed),
    ].compactMap { $0 }
  }

  private struct Outcome: Hashable {
    let next: OutgoingMessage.State
    let actions: OutgoingMessage.Actions
  }

  private static func outcome(_ state: OutgoingMessage.State, _ event: MessageEvent, needsKeys: Bool) -> Outcome {
    var message = MessageEvent.message(state, needsKeys: needsKeys)
    let actions = message.handle(event.value, at: MessageEvent.now)
    return Outcome(next: message.state, actions: actions)
  }

  private static func transition(_ state: OutgoingMessage.State, _ event: String, _ outcome: Outcome) -> Transition? {
    guard let entry = outcome.actions.write else { return nil }
    return Transition(
      state: state, event: event, next: outcome.next, write: name(of: entry), effect: name(of: outcome.actions.effect))
  }

  private static func name(of entry: OutgoingMessage.Entry) -> String {
    switch entry {
    case .keyCheck: "key check"
    case .departure: "departure"
    case .delivered: "delivered"
    case .failed: "failed"
    case .retry: "retry"
    case .withdrawal: "state only"
    }
  }

  private static func name(of effect: OutgoingMessage.Effect) -> String {
    switch effect {
    case .fetchKeys: "fetch keys"
    case .send: "send"
    case .announce: "announce"
    }
  }

  private static var diagram: String {
    let lines = transitions.map { "    \($0.state.rawValue) --> \($0.next.rawValue): \($0.event)" }
    return (["```mermaid", "stateDiagram-v2", "    [*] --> scheduled"] + lines + ["```"]).joined(separator: "\n")
  }

  private static var table: String {
    let rows = transitions.map { transition in
      "| \(transition.state.rawValue) | \(transition.event) | \(transition.next.rawValue) | \(transition.write) | \(transition.effect) |"
    }
    return (["| State | Event | Next state | Write | Then |", "| --- | --- | --- | --- | --- |"] + rows).joined(separator: "\n")
  }

  /// The text with the generated part between the marks.
  private static func replacing(_ name: String, in text: String, with generated: String) throws -> String {
    let start = try #require(text.range(of: "<!-- \(name): generated -->\n"))
    let end = try #require(text.range(of: "<!-- \(name): end -->", range: start.upperBound..<text.endIndex))
    return text.replacingCharacters(in: start.upperBound..<end.lowerBound, with: generated + "\n")
  }

  @Test("The article contains the state machine's diagram and table")
  func article() throws {
    let text = try String(contentsOf: Self.article, encoding: .utf8)
    var generated = try Self.replacing("diagram", in: text, with: Self.diagram)
    generated = try Self.replacing("table", in: generated, with: Self.table)
    if ProcessInfo.processInfo.environment["PCM_RECORD"] == "1" {
      try Data(generated.utf8).write(to: Self.article)
    }
    #expect(try String(contentsOf: Self.article, encoding: .utf8) == generated, "\(Self.advice)")
    #expect(Self.transitions.count > 10)
  }
}
