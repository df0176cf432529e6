import Testing

@testable import PCMBrowser

/// The order of requests to several targets.
@Suite struct FairQueueTests {
  /// Enters requests, each named by its target and its number. Returns those that run at once.
  private func enter(_ requests: [String], _ queue: inout FairQueue<String>) -> [String] {
    requests.filter { queue.enter($0, to: target(of: $0)) }
  }

  private func target(of request: String) -> String { String(request.prefix(1)) }

  @Test("Requests run until the capacity or the share of their target is used up")
  func bounds() {
    var queue = FairQueue<String>(capacity: 4, share: 2)
    #expect(enter(["a1", "a2", "a3", "b1", "c1", "d1"], &queue) == ["a1", "a2", "b1", "c1"])
    #expect(queue.waitingCount == 2)
  }

  @Test("Targets take turns, and the requests to one run in order")
  func turns() {
    var queue = FairQueue<String>(capacity: 2, share: 2)
    #expect(enter(["a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1"], &queue) == ["a1", "a2"])
    var (running, order) = (["a1", "a2"], [String]())
    while let first = running.first {
      running.removeFirst()
      guard let next = queue.leave(target(of: first)) else { continue }
      order.append(next)
      running.append(next)
    }
    #expect(order == ["b1", "c1", "a3", "b2", "a4", "a5"])
    #expect(queue.waitingCount == 0)
  }

  @Test("A target that never ends its requests does not delay others")
  func silentTarget() {
    var queue = FairQueue<String>(capacity: 3, share: 2)
    #expect(enter((1...100).map { "s\($0)" }, &queue) == ["s1", "s2"])
    for number in 1...100 {
      let isBegun = queue.enter("a\(number)", to: "a")
      let next = queue.leave("a")
      #expect(isBegun && next == nil)
    }
    #expect(queue.waitingCount == 98)
    let next = queue.leave("s")
    #expect(next == "s3")
  }
}
