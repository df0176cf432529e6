import PCMStore

/// A number that goes up and down.
package final class Level: Sendable {
  private let name: String
  private let help: String
  private let height = Locked(0)

  init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }

  /// Returns the new height.
  @discardableResult
  package func rise() -> Int {
    height.withLock { height in
      height += 1
      return height
    }
  }

  package func fall() {
    height.withLock { $0 -= 1 }
  }

  var family: MetricFamily {
    MetricFamily(name, help, .gauge, [MetricFamily.Sample([], Double(height.withLock { $0 }))])
  }
}
