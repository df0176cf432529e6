internal import DequeModule

/// Elements of several lines, taken in turn: one of each line, and those of a line in the order of their arrival.
///
/// A new line comes before all that had a turn, as a new flow does in FQ-CoDel (RFC 8290, section 4.2). A line that is empty at its
/// turn is removed, and is new when it returns. So no line comes first each time, and the first element of a line waits for one
/// element of each other line at most.
struct TurnQueue<Element: Sendable>: Sendable {
  private struct Line {
    var elements: Deque<Element> = []
    /// How long the latest element took; zero if the line is new.
    var duration = Duration.zero
  }

  private var lines: [Int64: Line] = [:]
  /// The new lines.
  private var arrived: Deque<Int64> = []
  /// The lines that had a turn, in the order of their next turns. The last one was served last.
  private var served: Deque<Int64> = []
  private(set) var count = 0

  mutating func add(_ element: Element, to line: Int64) {
    if lines[line] == nil { arrived.append(line) }
    lines[line, default: Line()].elements.append(element)
    count += 1
  }

  /// Takes the next element.
  ///
  /// - Parameter limit: The longest acceptable duration of the latest element of its line; nil for no limit.
  /// - Returns: Nil if no element waits, and if the latest one of the next line took longer than the limit.
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
