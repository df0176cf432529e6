package import PCMCore

/// When an app last had an AdAttributionKit conversion, for its cooldowns.
package struct PastConversions: Hashable, Sendable {
  package var installAt: Instant?
  package var reengagementAt: Instant?

  package init(installAt: Instant? = nil, reengagementAt: Instant? = nil) {
    self.installAt = installAt
    self.reengagementAt = reengagementAt
  }
}
