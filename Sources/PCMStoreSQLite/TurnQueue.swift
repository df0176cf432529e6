internal import DequeModule

/// Elements of several lines, taken in turn: one of each line, and those of a line in the order of their arrival.
///
/// A line without a turn in this round comes before all that had one, as a new flow does in FQ-CoDel (RFC 8290, section 4.2). An
/// element of such a line waits for others of its kind only, and every other first element for one of each line at most. A line
/// stays until its next turn, so one that is empty after each turn does not always come first.
struct TurnQueue<Element: Sendable>: Sendable {
  private struct Line {
    var elements: Deque<Element> = []
    /// How long the latest element took.
    var duration = Duration.zero
  }

  private var lines: [Int64: Line] = [:]
  /// The lines that have had no turn.
  private var arrived: Deque<Int64> = []
  /// The other lines, in the order of their turns. The last one was served last.
  private var served: Deque<Int64> = []
  private(set) var count = 0

  mutating func add(_ element: Element, to line: Int64) {
    if lines[line] == nil { arrived.append(line) }
    lines[line, default: Line()].elements.append(element)
    count += 1
  }

  /// Takes the next element.
  ///
  /// - Parameter limit: How long the latest element of its line may have taken; nil for any duration.
  /// - Returns: Nil when none waits, and when the next one exceeds the limit.
  mutating func next(within limit: Duration? = nil) -> Element? {
    while let line = arrived.first ?? served.first {
      guard let element = lines[line]?.elements.first else {
        served.removeFirst()
        lines[line] = nil
        continue
      }
      if let limit, lines[line].map({ $0.duration > limit }) ?? false { return nil }
      if arrived.popFirst() == nil { served.removeFirst() }
      served.append(line)
      lines[line]?.elements.removeFirst()
      count -= 1
      return element
    }
    return nil
  }

  /// Notes how long the element took that was taken last.
  mutating func note(_ duration: Duration) {
    guard let line = served.last else { return }
    lines[line]?.duration = duration
  }
}
