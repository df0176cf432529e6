package import PCMCore

/// What a caller says of a browser when creating or updating it; nil leaves the default, or what is.
package struct BrowserSpecification: Hashable, Sendable {
  package var storage: StorageKind?
  package var seed: String?
  package var clockMode: ClockMode?
  package var now: Instant?
  package var settings: SettingsChange

  package init(
    storage: StorageKind? = nil, seed: String? = nil, clockMode: ClockMode? = nil, now: Instant? = nil,
    settings: SettingsChange = SettingsChange()
  ) {
    self.storage = storage
    self.seed = seed
    self.clockMode = clockMode
    self.now = now
    self.settings = settings
  }

  /// Storage, seed and clock are fixed at creation; saying them again is fine, saying something else is not.
  func check(against existing: Configuration) throws(BrowserError) {
    if let storage, storage != existing.storage {
      throw .conflict("the browser's storage is \(existing.storage.rawValue) and fixed at creation")
    }
    if let seed, seed != existing.seed {
      throw .conflict("the browser has another seed, fixed at creation; delete it and create it anew to change that")
    }
    if let clockMode, clockMode != existing.clockMode {
      throw .conflict("the browser's clock is \(existing.clockMode.rawValue) and fixed at creation")
    }
    if let now, now != existing.now {
      throw .conflict("the browser's clock stands at \(existing.now.text); move it with clock/advance")
    }
  }
}
