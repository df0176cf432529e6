package import PCMCore
package import PCMDevice

/// An app that was installed on the device, with its conversions.
package struct InstalledApp: Hashable, Codable, Sendable {
  package let bundleIdentifier: String
  package var itemIdentifier: Int64?
  package var installedAt: Instant
  /// The country of the last install; nil if unknown.
  package var country: String?
  package var launchedAt: Instant?
  package var conversions = AppConversions()

  /// The maximum number of pending conversions: one install, and re-engagements that overlap.
  package static let maximumConversionCount = 100
}
