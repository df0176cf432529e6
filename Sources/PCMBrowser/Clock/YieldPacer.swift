/// Yields after every 32 steps of long work.
///
/// With a store and a network in memory, a move of the clock never suspends otherwise. A suspension costs as much as a message in
/// memory.
struct YieldPacer {
  private var count = 0

  /// The number of steps or messages in a turn: a few milliseconds.
  static let length = 32

  /// Notes the end of a step or a message. Lets other tasks run after each turn.
  mutating func end() async {
    count += 1
    if count.isMultiple(of: Self.length) { await Task.yield() }
  }
}
