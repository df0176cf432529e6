import PCMCore

extension TryForm {
  /// The calls of Private Click Measurement in an order that works in a new browser.
  static let web = [network, app] + OperationCatalog.web.flatMap { ($0 == LoadInput.self ? [site] : []) + forms(of: $0) }

  private static let network = TryForm(
    "try-network", "Network", "Simulated sites accept every report, and no connection leaves the service.", "PUT", "network",
    button: "Use this network", TryField.members(of: NetworkSpecification.self, ["mode": "simulated"]))

  private static let app = TryForm(
    "try-app", "App", "The Info.plist of the app that shows ads. Its report endpoint is the source of clicks.", "PUT", "apps",
    button: "Register the app", [TryField("", "Info.plist", .value(ExampleAds.manifest), kind: .manifest)])

  private static let site = TryForm(
    "try-site", "Simulated site", "The pages of a host by path and query. The pixel redirects to the trigger path.", "PUT",
    "sites/{host}", button: "Set up the site",
    [
      TryField("{host}", "Host", "social.example"),
      TryField(
        "/loads", "Pages as JSON",
        """
        {
          "/pixel": { "location": "/.well-known/private-click-measurement/trigger-attribution/12" }
        }
        """, kind: .json),
    ])
}

extension TryForm {
  /// The forms that change the browser and its device. The script fills them with the current values.
  static let settings = [
    TryForm(
      "settings", "Browser", "The settings apply at once. Reports that are already scheduled keep their times.", "PATCH", "",
      button: "Save", sendsChanges: true, TryField.properties(of: SettingsChange.definition.description, at: "/settings")),
    TryForm(
      "device", "Device", "The device on which the browser runs.", "PATCH", "", isOfDevice: true, button: "Save",
      sendsChanges: true, TryField.properties(of: DeviceChange.definition.description, at: "/device")),
  ]
}
