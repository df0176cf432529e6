package import PCMCore

/// When an app last had an AdAttributionKit conversion, for its cooldowns.
package struct PastConversions: Hashable, Codable, Sendable {
  package var installAt: Instant?
  package var reengagementAt: Instant?

  package init() {}
}
