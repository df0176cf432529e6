import PCMDevTools

extension BrowserAttachment.Environment {
  /// The machine's time and randomness.
  static let system = BrowserAttachment.Environment(
    uptime: SystemTime.uptime(), now: { SystemTime.now }, pause: { try await Task.sleep(for: $0) },
    draw: { SystemChance.bytes($0) })
}
