import BrowserSupport
import PCMCore
import Testing

@testable import PCMBrowser

@Suite struct DueQueueTests {
  @Test("the queue agrees with a dictionary that is searched", arguments: [1, 2, 20_261_121] as [UInt64])
  func agreesWithAModel(_ seed: UInt64) {
    var (numbers, queue, model) = (SplitMix64(seed: seed), DueQueue<Int>(), [Int: Instant]())
    for step in 0..<5_000 {
      let key = Int(numbers.next() % 40)
      switch numbers.next() % 4 {
      case 0:
        queue.remove(key)
        model[key] = nil
      case 1:
        // As the sleeper does.
        if let first = queue.first {
          queue.remove(first.key)
          model[first.key] = nil
        }
      default:
        let due = numbers.next() % 10 == 0 ? nil : Scene.start + .seconds(Int64(numbers.next() % 100))
        queue.set(key, due: due)
        model[key] = due
      }
      let first = queue.first
      #expect(queue.count == model.count && first?.due == model.values.min(), "step \(step)")
      #expect(first.map { model[$0.key] == $0.due } ?? true, "step \(step)")
    }
  }
}
