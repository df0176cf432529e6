package import PCMCore
package import PCMDevice

/// An app that was installed on the device, with its conversions.
package struct InstalledApp: Hashable, Sendable {
  package let bundleIdentifier: String
  package var itemIdentifier: Int64?
  package var installedAt: Instant
  /// The country of the last install; nil if unknown.
  package var country: String?
  package var launchedAt: Instant?
  package var conversions: AppConversions
  /// The maximum number of pending conversions: one install, and re-engagements that overlap.
  package static let maximumConversionCount = 100

  /// The crowds of the conversions, by their numbers.
  package internal(set) var crowds: [Int64: CrowdTiers]

  init(_ bundleIdentifier: String, itemIdentifier: Int64?, installedAt: Instant) {
    self.bundleIdentifier = bundleIdentifier
    self.itemIdentifier = itemIdentifier
    self.installedAt = installedAt
    conversions = AppConversions()
    crowds = [:]
  }

  init?(_ bundleIdentifier: String, state: JSON) throws(UnreadableState) {
    let reader = StateReader(json: state)
    self.init(
      bundleIdentifier, itemIdentifier: try reader.optionalItemIdentifier("itemIdentifier"),
      installedAt: try reader.instant("installedAt"))
    country = try reader.optionalCountry("country")
    launchedAt = try reader.optionalInstant("launchedAt")
    conversions = try AppConversions(state: reader.required("conversions") { $0 })
    for member in state["crowds"]?.members ?? [] {
      guard let id = Int64(member.name), let crowd = CrowdTiers(state: member.value) else { return nil }
      crowds[id] = crowd
    }
  }

  var state: JSON {
    [
      "itemIdentifier": .number(itemIdentifier), "installedAt": .number(installedAt.milliseconds),
      "country": .string(country),
      "launchedAt": .number(launchedAt?.milliseconds), "conversions": conversions.state,
      "crowds": .object(crowds.sorted { $0.key < $1.key }.map { .init("\($0.key)", $0.value.state) }),
    ]
  }

  /// Forgets the conversions whose values are final, except the newest ones.
  mutating func removeFinished() {
    for id in conversions.removeFinished() { crowds[id] = nil }
  }

  /// Forgets the conversions that a developer created in the settings, and returns them.
  mutating func removeDevelopment() -> [Conversion] {
    let removed = conversions.removeDevelopment()
    for conversion in removed { crowds[conversion.id] = nil }
    return removed
  }

  /// Forgets all conversions whose values are final.
  mutating func removeAllFinished() {
    for id in conversions.removeAllFinished() { crowds[id] = nil }
  }
}

extension CrowdTiers {
  init?(_ input: CrowdTiersInput) {
    let tiers = [input.twoDigits, input.threeDigits, input.fourDigits, input.country].compactMap { CrowdTier(rawValue: $0) }
    guard tiers.count == 4 else { return nil }
    self.init(
      twoDigits: tiers[0], threeDigits: tiers[1], fourDigits: tiers[2], country: tiers[3], meetsThreshold: input.meetsThreshold)
  }

  /// The tiers with the names that they have in a request.
  package var json: JSON {
    [
      "twoDigits": .number(twoDigits.rawValue), "threeDigits": .number(threeDigits.rawValue),
      "fourDigits": .number(fourDigits.rawValue), "country": .number(country.rawValue), "meetsThreshold": .bool(meetsThreshold),
    ]
  }
}
