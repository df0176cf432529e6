/// The turns of long work on its thread.
///
/// With a store and a network in memory, nothing else suspends a move of the clock, and other tasks wait for its thread. A suspension
/// costs as much as a message in memory, so a turn has several.
struct Turns {
  private var count = 0

  /// The number of steps or messages in a turn: a few milliseconds.
  static let length = 32

  /// Notes the end of a step or a message. Lets other tasks run after each turn.
  mutating func end() async {
    count += 1
    if count.isMultiple(of: Self.length) { await Task.yield() }
  }
}
