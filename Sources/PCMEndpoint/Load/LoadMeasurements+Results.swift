import PCMCore

/// The results of a load test.
extension LoadMeasurements {
  /// The number of messages whose planned instants have passed.
  package var attempted: Int { sent + unsent }

  /// The share of messages that failed or were not sent, from 0 to 1. Forged messages, which should fail, are not counted.
  package var errorShare: Double {
    let regular = attempted - counts.filter { $0.key.form == .forged }.map(\.value).reduce(0, +)
    return regular > 0 ? Double(failed) / Double(regular) : 0
  }

  /// The number of messages a second that left.
  package var reachedRate: Double {
    guard sent > 0 else { return 0 }
    return Double(sent) * 1_000_000 / (Double(lastDeparture) + 1_000_000 / Double(options.rate))
  }

  /// Whether the sender could not keep the rate, so that latencies measure the sender, too.
  package var isSenderLate: Bool {
    lateness.percentile(99) > Self.tolerableLateness || unsent == 0 && reachedRate < 0.98 * Double(options.rate)
  }

  /// In microseconds.
  private static let tolerableLateness: Int64 = 20_000

  /// The number of results of a form.
  package func count(_ form: LoadMessage.Form, isAccepted: Bool? = nil) -> Int {
    counts.filter { $0.key.form == form && $0.key.isAccepted == isAccepted ?? $0.key.isAccepted }.map(\.value).reduce(0, +)
  }

  package static let percentiles: [Double] = [50, 90, 95, 99, 99.9]

  /// A time in the unit in which it has at most four digits before the point.
  package static func text(microseconds: Int64) -> String {
    switch microseconds {
    case ..<1_000: "\(microseconds) µs"
    case ..<10_000_000: "\(decimal(Double(microseconds) / 1_000, 1)) ms"
    default: "\(decimal(Double(microseconds) / 1_000_000, 1)) s"
    }
  }

  package static func percentage(_ value: Double) -> String { "\(decimal(value, value > 0 && value < 1 ? 3 : 1))%" }

  package static func decimal(_ value: Double, _ digits: Int) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let number = Int64((value * Double(scale)).rounded())
    let fraction = String(scale + Int(number) % scale).dropFirst()
    return "\(Int(number) / scale).\(fraction)"
  }
}
