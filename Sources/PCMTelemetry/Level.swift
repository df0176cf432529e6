import NIOConcurrencyHelpers

/// A number that goes up and down.
package final class Level: Sendable {
  private let name: String
  private let help: String
  private let height = NIOLockedValueBox(0)

  init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }

  /// Returns the new height.
  @discardableResult
  package func rise() -> Int {
    height.withLockedValue { height in
      height += 1
      return height
    }
  }

  package func fall() {
    height.withLockedValue { $0 -= 1 }
  }

  var family: MetricFamily {
    MetricFamily(name, help, .gauge, [MetricFamily.Sample([], Double(height.withLockedValue { $0 }))])
  }
}
