internal import DequeModule

/// Elements of several lines, taken in turn: one of each line, and those of a line in the order of their arrival.
///
/// A line that was served goes to the end when the next element is taken, so a line that arrives before then comes first. An
/// element of a line that was empty waits for one element of each other line at most.
struct TurnQueue<Element: Sendable>: Sendable {
  private var lines: [Int64: Deque<Element>] = [:]
  private var turns: Deque<Int64> = []
  /// The line of the element that was taken last.
  private var served: Int64?
  private(set) var count = 0

  mutating func add(_ element: Element, to line: Int64) {
    if lines[line] == nil { turns.append(line) }
    lines[line, default: []].append(element)
    count += 1
  }

  mutating func next() -> Element? {
    if let served {
      if lines[served]?.isEmpty ?? true {
        lines[served] = nil
      } else {
        turns.append(served)
      }
    }
    served = turns.popFirst()
    guard let line = served, let element = lines[line]?.popFirst() else { return nil }
    count -= 1
    return element
  }
}
