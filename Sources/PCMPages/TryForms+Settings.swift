extension TryForm {
  /// The forms that change the browser and its device. The script fills them with the current values.
  static let settings = [browserSettings, deviceProperties]

  private static let browserSettings = TryForm(
    "settings", "Browser", "The settings apply at once. Reports that are already scheduled keep their times.", "PATCH", "",
    button: "Save", sendsChanges: true,
    [
      TryField("/settings/measurementEnabled", "Measurement", "true", kind: .flag),
      TryField("/settings/privateBrowsing", "Private browsing", kind: .flag),
      TryField("/settings/debugMode", "Debug mode: reports after ten seconds", kind: .flag),
      TryField(
        "/settings/deliveryPolicy", "Delivery policy", "webkit",
        kind: .choice([
          .init(value: "webkit", title: "webkit: once"), .init(value: "reliable", title: "reliable: with retries"),
        ])),
      TryField(
        "/settings/reportURL", "Report URL of the source", "well-known",
        kind: .choice([
          .init(value: "well-known", title: "Well-known path"), .init(value: "manifest", title: "As in the Info.plist"),
        ])),
      TryField("/settings/logRetention/maximumCount", "Events in the log", "1000000", kind: .number),
    ])

  private static let deviceProperties = TryForm(
    "device", "Device", "The device on which the browser runs.", "PATCH", "", isOfDevice: true, button: "Save",
    sendsChanges: true,
    [
      TryField("/device/systemVersion", "iOS version", "18.6"), TryField("/device/country", "Country of the account", "US"),
      TryField("/device/developerMode", "Developer mode: windows of three minutes", kind: .flag),
      TryField("/device/testingProfile", "Testing profile: a timer of five minutes", kind: .flag),
      TryField(
        "/device/conversionWindowStart", "Conversion windows begin with", "launch",
        kind: .choice([
          .init(value: "launch", title: "First launch"), .init(value: "first-update", title: "First update"),
        ])),
      TryField(
        "/device/sourceDomain", "Source domain of web ads", "displaying-site",
        kind: .choice([
          .init(value: "displaying-site", title: "Displaying site"), .init(value: "ad-network", title: "Ad network"),
        ])),
      TryField(
        "/device/postbackKeys", "Keys of postbacks", "test",
        kind: .choice([
          .init(value: "test", title: "Test keys"),
          .init(value: "test-second-development", title: "Test keys, second development key"),
          .init(value: "apple-identifiers", title: "Fault: test keys under Apple's identifiers"),
        ])),
      TryField("/device/escapedSlashes", "Slashes in postbacks as \\/, as by Apple", "true", kind: .flag),
    ])
}
