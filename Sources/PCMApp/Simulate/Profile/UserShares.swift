import PCMBrowser
import PCMCore
import PCMCrypto

/// The shares of users whose browser differs. A draw depends on the seed of the user and on the name of the share alone: a larger
/// share adds users, and no other share and no delay changes.
struct UserShares: Hashable, Sendable {
  var isPrivate = 0.0
  var isOff = 0.0
  var hasOtherBrowser = 0.0

  /// Returns the browser of a user.
  func user(seed: String, in world: SimulatedWorld?, at start: Instant) -> SimulatedUser {
    let settings = MeasurementSettings(
      measurementEnabled: !Self.contains(isOff, "measurement_off_share", seed: seed),
      privateBrowsing: Self.contains(isPrivate, "private_share", seed: seed))
    return SimulatedUser(
      seed: seed, settings: BrowserSettings(measurement: settings),
      usesSafari: !Self.contains(hasOtherBrowser, "other_browser_share", seed: seed), world: world, at: start)
  }

  /// Whether a user belongs to a share: the first 53 bits of the SHA-256 of the seed, a zero byte, and the name of the share, as a
  /// fraction, are below it.
  private static func contains(_ share: Double, _ name: String, seed: String) -> Bool {
    guard share > 0 else { return false }
    let digest = SHA256Digest.bytes(of: Array(seed.utf8) + [0] + Array(name.utf8))
    let bits = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Double(bits >> 11) * 0x1p-53 < share
  }
}
