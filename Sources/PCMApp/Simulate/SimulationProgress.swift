import PCMEndpoint

/// A line about a simulation that runs, on a terminal at most once a second.
final class SimulationProgress {
  private let isShown = StandardError.isTerminal
  private let uptime = SystemTime.uptime()
  private var shownAt: Int64 = 0

  func show(_ events: Int, share: Double?) {
    guard isShown else { return }
    let elapsed = uptime()
    guard elapsed.components.seconds > shownAt else { return }
    shownAt = elapsed.components.seconds
    StandardError.write("\r\u{1B}[K  \(Self.text(events, in: elapsed / .seconds(1), share: share))")
  }

  func erase() {
    if isShown { StandardError.write("\r\u{1B}[K") }
  }

  /// - Parameter share: The share of the file that was read; nil if its size is not known.
  static func text(_ events: Int, in seconds: Double, share: Double?) -> String {
    let part = share.map { ", \(LoadMeasurements.decimal($0 * 100, 0).prefix { $0 != "." })% of the file" } ?? ""
    return "\(events) events, \(Int(Double(events) / max(seconds, 0.001))) a second\(part)"
  }
}
