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

  @Test("A new line comes before the next element of the line that was served last")
  func newLine() {
    var queue = TurnQueue<String>()
    for element in ["a1", "a2", "a3"] { queue.add(element) }
    #expect(queue.next() == "a1")
    queue.add("b1")
    queue.add("a4")
    #expect(queue.remaining() == ["b1", "a2", "a3", "a4"])
  }

  @Test("A line that was served and has a new element keeps the turn that it would have as a new one")
  func emptyLine() {
    var queue = TurnQueue<String>()
    queue.add("a1")
    #expect(queue.next() == "a1")
    queue.add("a2")
    queue.add("b1")
    #expect(queue.remaining() == ["b1", "a2"])
    queue.add("a3")
    #expect(queue.remaining() == ["a3"])
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
