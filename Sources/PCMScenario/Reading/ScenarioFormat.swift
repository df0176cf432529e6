import PCMCore

/// The format of scenario files, as described in `Fixtures/scenarios/README.md`.
package enum ScenarioFormat {
  static let stepLimit = 1_000

  package static let file: Shape = .object(
    ObjectShape(
      "A sequence of steps and the expected behavior of a browser.",
      [
        .required("scenario", .text(.name), "The scenario's name"),
        .optional("rule", .text(.name), "The source of the expectation, such as `case 114 [T]`"),
        .optional("browser", browser, "The browser at the first step"),
        .optional("device", .named("device", .body(DeviceChange.self)), "The properties of the device at the first step"),
        .optional(
          "ad-networks", .map(.any, AdFormat.adNetwork),
          "Ad networks that are registered before the first step, by identifier"),
        .optional("apps", .map(.any, app), "Apps that are registered before the first step, by bundle identifier"),
        .optional("sites", sites, "Sites whose behavior differs from that of a good endpoint, by host"),
        .required("steps", .list(.named("step", step), 1...stepLimit), "The steps, in order"),
      ]))

  private static let browser: Shape = .object(
    ObjectShape(
      "A browser.",
      [
        .optional("seed", .text(.seed), "The seed of random values; the scenario's name when absent"),
        .optional("storage", .choice(["ephemeral", "durable"]), "Where data is stored; `ephemeral` when absent"),
        .optional(
          "start", .text(.instant), "The time of the clock at the first step; `\(Scenario.Setup.defaultStart)` when absent"),
        .optional("settings", .named("settings", .body(SettingsChange.self)), "The settings to change"),
      ]))

  private static let app: Shape = .object(
    ObjectShape(
      "An app with the values of its manifest.", AdFormat.app))

  /// The members of a step that perform an action.
  static let actions = actionMembers.map(\.name)

  private static let step: Shape = .object(
    ObjectShape(
      "At most one action, its time, and the expected results.",
      [
        .optional("name", .text(.name), "The step's name in results"),
        .optional("at", .text(.duration), "Advances the clock to this time after the start"),
      ] + actionMembers + [.optional("expect", ExpectationFormat.expectation, "The expected results")],
      rules: [.atMostOne(actions), .atLeastOne(["at"] + actions + ["expect"])]))

  private static let actionMembers: [ObjectShape.Member] = [
    .optional("event-attribution", .body(EventAttributionInput.self), "Opens a URL with a `UIEventAttribution` from an app"),
    .optional("link-click", .body(LinkClickInput.self), "Follows a link"),
    .optional("triggering-event", .body(TriggeringEventInput.self), "Handles a redirected request of a page"),
    .optional("load", .body(LoadInput.self), "Sends a request of a page"),
    .optional("advance", .oneOf([.text(.duration), .body(ClockAdvance.self)]), "Advances the clock"),
    .optional("settings", .named("settings", .body(SettingsChange.self)), "Changes settings"),
    .optional("app", registration, "Registers an app"),
    .optional("remove-app", .text, "Removes the app with this bundle identifier"),
    .optional("device", .named("device", .body(DeviceChange.self)), "Changes properties of the device"),
    .optional("ad-network", AdFormat.namedAdNetwork, "Registers an ad network"),
    .optional("remove-ad-network", .text, "Removes the ad network with this identifier"),
    .optional("impression", AdFormat.impression, "Displays an ad in an app"),
    .optional("impression-end", AdFormat.impressionEnd, "Ends the view of an ad"),
    .optional("impression-tap", AdFormat.impressionTap, "Taps an ad of AdAttributionKit"),
    .optional("install", .body(InstallInput.self), "Installs an app"),
    .optional("launch", .body(LaunchInput.self), "Opens an installed app"),
    .optional("conversion-value", .body(ConversionValueInput.self), "Reports a conversion value from an app"),
    .optional(
      "development-postback", .body(DevelopmentPostbackInput.self), "Creates a postback in the settings, which is sent at once"),
    .optional(
      "sites", .map(.host, .nullable(SiteFormat.site)),
      "Changes the behavior of these sites; null removes a site's behavior, and other sites remain unchanged"),
    .optional(
      "clear",
      .object(
        ObjectShape(
          "The data to clear.",
          [.optional("site", .text, "Clears only data that contains this site; all measurement data when absent")])),
      "Clears measurement data"),
    .optional(
      "restart", .object(ObjectShape("No members.", [])),
      "Restarts the browser's process with the same data"),
  ]

  private static let registration: Shape = .oneOf([
    .object(
      ObjectShape(
        "An app with the file of its manifest.",
        [.required("manifest", .text, "The path of an Info.plist, relative to the scenario's folder"), name])),
    .object(
      ObjectShape("An app with the text of its manifest.", [.required("plist", .text, "An XML property list"), name])),
    .object(
      ObjectShape(
        "An app with the values of its manifest.",
        [
          .required("bundleIdentifier", .text, "Its `CFBundleIdentifier`")
        ] + AdFormat.app)),
  ])

  private static let name = ObjectShape.Member.optional(
    "bundleIdentifier", .text, "Its `CFBundleIdentifier`, if the manifest lacks it or has a build setting in its place")

  private static let sites: Shape = .named("sites", .map(.host, SiteFormat.site))
}
