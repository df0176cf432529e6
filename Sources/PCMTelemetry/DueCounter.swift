internal import HeapModule
import PCMCore

/// A report that began or ceased to wait for an instant.
struct DueChange: Hashable, Comparable, Sendable {
  let due: Instant
  /// 1 or -1.
  let amount: Int

  static func < (left: DueChange, right: DueChange) -> Bool { left.due < right.due }
}

/// How many reports wait, and how many of them are overdue, without looking at them again.
///
/// What is due later lies in a heap as changes by due time, and is taken out once when the time has come: a change costs
/// the logarithm of what waits, a question costs what became due since the last one.
struct DueCounter: Sendable {
  private(set) var scheduled = 0
  private var overdue = 0
  private var reached = Instant.earliest
  private var ahead = Heap<DueChange>()

  mutating func apply(_ change: DueChange) {
    scheduled += change.amount
    guard change.due > reached else {
      overdue += change.amount
      return
    }
    ahead.insert(change)
    if ahead.count > 2 * scheduled + 1_024 { settle() }
  }

  /// - Parameter now: on the browser's clock, which does not go back.
  mutating func overdue(at now: Instant) -> Int {
    reached = max(reached, now)
    while let first = ahead.min, first.due <= reached {
      overdue += first.amount
      _ = ahead.popMin()
    }
    return overdue
  }

  /// Lets those go that came and went before their time.
  private mutating func settle() {
    let sums = ahead.unordered.reduce(into: [:]) { $0[$1.due, default: 0] += $1.amount }
    ahead = Heap(
      sums.flatMap { due, sum in repeatElement(DueChange(due: due, amount: sum.signum()), count: Int(sum.magnitude)) })
  }
}
