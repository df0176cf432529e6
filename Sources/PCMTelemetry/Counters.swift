import NIOConcurrencyHelpers

/// Numbers that only grow, one for each combination of labels.
///
/// One short lock; adding costs a hash and an addition, and builds no text.
package final class Counters<Labels: MetricLabels>: Sendable {
  private let name: String
  private let help: String
  private let counts: NIOLockedValueBox<[Labels: Int]>

  /// - Parameter known: series that are shown from the start, so that the first occurrence is a step from 0.
  package init(_ name: String, _ help: String, known: [Labels] = []) {
    self.name = name
    self.help = help
    counts = NIOLockedValueBox(Dictionary(known.map { ($0, 0) }) { first, _ in first })
  }

  package func add(_ labels: Labels) {
    counts.withLockedValue { $0[labels, default: 0] += 1 }
  }

  package func add(_ many: some Sequence<Labels> & Sendable) {
    counts.withLockedValue { counts in
      for labels in many { counts[labels, default: 0] += 1 }
    }
  }

  package var family: MetricFamily {
    let samples = counts.withLockedValue { $0 }.inLabelOrder.map { MetricFamily.Sample($0.key.labels, Double($0.value)) }
    return MetricFamily(name, help, .counter, samples)
  }
}
