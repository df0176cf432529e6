package import PCMCore
package import PCMDevice

extension Device {
  /// The properties as the API returns them. A mode that turned itself off is off.
  package func json(at now: Instant) -> JSON {
    var device = self
    if !Self.isModeOn(developerModeSince, at: now) { device.developerModeSince = nil }
    if !Self.isModeOn(testingProfileSince, at: now) { device.testingProfileSince = nil }
    return device.json
  }

  /// The properties as the log and the journal have them.
  package var json: JSON {
    [
      "systemVersion": .string(system.text), "country": .string(country),
      "developerMode": .bool(developerModeSince != nil), "developerModeSince": .instant(developerModeSince),
      "testingProfile": .bool(testingProfileSince != nil), "testingProfileSince": .instant(testingProfileSince),
      "minimumViewTime": .string(minimumViewTime.text),
      "conversionWindowStart": .string(settings.conversionWindowStart.rawValue),
      "sourceDomain": .string(settings.sourceDomain.rawValue),
      "postbackKeys": .string(settings.postbackKeys.rawValue), "escapedSlashes": .bool(settings.escapesSlashes),
    ]
  }

  /// Returns the device after a change. A mode that is switched on again starts its two weeks again.
  func changed(by change: DeviceChange, at now: Instant) throws(BrowserError) -> Device {
    var (device, errors) = (self, [InputError]())
    if let text = change.systemVersion {
      device.system = OSVersion(text: text) ?? system
      if OSVersion(text: text) == nil {
        errors.append(InputError(["device", "systemVersion"], "\"\(text)\" is not a version of iOS; give one such as 18.6"))
      }
    }
    if let country = change.country {
      device.country = country
      if let error = CountryCode.error(in: country, ["device", "country"]) { errors.append(error) }
    }
    if !errors.isEmpty { throw .invalidInput(errors) }
    if let isOn = change.developerMode { device.developerModeSince = isOn ? now : nil }
    if let isOn = change.testingProfile { device.testingProfileSince = isOn ? now : nil }
    device.settings.minimumViewTime = change.minimumViewTime ?? settings.minimumViewTime
    device.settings.conversionWindowStart = change.conversionWindowStart ?? settings.conversionWindowStart
    device.settings.sourceDomain = change.sourceDomain ?? settings.sourceDomain
    device.settings.postbackKeys = change.postbackKeys ?? settings.postbackKeys
    device.settings.escapesSlashes = change.escapedSlashes ?? settings.escapesSlashes
    return device
  }
}

extension DeviceChange {
  /// Throws when a property is invalid, whatever the device is.
  package func check() throws(BrowserError) { _ = try Device().changed(by: self, at: .earliest) }
}

extension CountryCode {
  /// Returns the error of a country in a call; nil for a country.
  static func error(in text: String, _ path: [String]) -> InputError? {
    isValid(text) ? nil : InputError(path, "\"\(text)\" is not a country; give two letters in upper case, such as US")
  }
}
