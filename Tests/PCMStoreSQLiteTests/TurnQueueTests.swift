import Testing

@testable import PCMStoreSQLite

@Suite struct TurnQueueTests {
  @Test("Lines take turns, and each keeps its order")
  func turns() {
    var queue = TurnQueue<String>()
    for element in ["a1", "a2", "a3", "b1", "c1", "c2"] { queue.add(element) }
    #expect(queue.count == 6)
    #expect(queue.remaining() == ["a1", "b1", "c1", "a2", "c2", "a3"])
    #expect(queue.count == 0)
  }

  @Test("A new line comes before all lines that had a turn")
  func newLine() {
    var queue = TurnQueue<String>()
    for element in ["a1", "a2", "b1", "b2"] { queue.add(element) }
    #expect(queue.next() == "a1")
    #expect(queue.next() == "b1")
    queue.add("c1")
    queue.add("c2")
    queue.add("d1")
    #expect(queue.remaining() == ["c1", "d1", "a2", "b2", "c2"])
  }

  @Test("A line that was served and is empty keeps its place until its next turn")
  func emptyLine() {
    var queue = TurnQueue<String>()
    for element in ["a1", "b1", "b2", "b3"] { queue.add(element) }
    #expect(queue.next() == "a1")
    #expect(queue.next() == "b1")
    // Otherwise, a line with one element at a time would always come first.
    queue.add("a2")
    #expect(queue.next() == "a2")
    #expect(queue.next() == "b2")
    // The turn of the empty line has passed.
    #expect(queue.next() == "b3")
    queue.add("b4")
    queue.add("a3")
    #expect(queue.remaining() == ["a3", "b4"])
    #expect(queue.next() == nil)
  }

  @Test("A line whose latest element took longer than the limit is not taken")
  func limit() {
    var queue = TurnQueue<String>()
    for element in ["a1", "a2", "b1"] { queue.add(element) }
    #expect(queue.next(within: .milliseconds(1)) == "a1", "nothing is known about a new line")
    queue.note(.milliseconds(2))
    #expect(queue.next(within: .milliseconds(1)) == "b1")
    queue.note(.milliseconds(1))
    queue.add("b2")
    #expect(queue.next(within: .milliseconds(1)) == nil)
    #expect(queue.count == 2)
    #expect(queue.next(within: .milliseconds(2)) == "a2")
    #expect(queue.next(within: .milliseconds(1)) == "b2")
    #expect(queue.next(within: .zero) == nil)
  }
}

extension TurnQueue<String> {
  /// Adds an element to the line of its first letter.
  fileprivate mutating func add(_ element: String) { add(element, to: Int64(element.utf8.first ?? 0)) }

  fileprivate mutating func remaining() -> [String] {
    var elements: [String] = []
    while let element = next() { elements.append(element) }
    return elements
  }
}
