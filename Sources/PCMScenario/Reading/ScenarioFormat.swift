import PCMCore

/// The format of scenario files, as `Fixtures/scenarios/README.md` tells it.
package enum ScenarioFormat {
  static let stepLimit = 1_000

  package static let file: Shape = .object(
    ObjectShape(
      "A story and what a browser must make of it.",
      [
        .required("scenario", .text(.name), "The scenario's name"),
        .optional("rule", .text(.name), "Where the expectation comes from, such as `case 114 [T]`"),
        .optional("browser", browser, "The browser at the first step"),
        .optional("apps", .map(.any, app), "Apps that are registered before the first step, by bundle identifier"),
        .optional("sites", sites, "Sites that deviate from a good endpoint, by host"),
        .required("steps", .list(.named("step", step), 1...stepLimit), "What happens, in order"),
      ]))

  private static let browser: Shape = .object(
    ObjectShape(
      "A browser.",
      [
        .optional("seed", .text(.seed), "Decides what is drawn; the scenario's name when absent"),
        .optional("storage", .choice(["memory", "durable"]), "Where data is kept; `memory` when absent"),
        .optional(
          "start", .text(.instant), "The clock at the first step; `\(Scenario.Setup.defaultStart)` when absent"),
        .optional("settings", .named("settings", .body(SettingsChange.self)), "What to set"),
      ]))

  private static let app: Shape = .object(
    ObjectShape(
      "An app by the values of its manifest.",
      [.optional("reportEndpoint", .nullable(.text), "Where its reports go; absent, the manifest has no such key")]))

  /// The members of a step that do something.
  static let actions = actionMembers.map(\.name)

  private static let step: Shape = .object(
    ObjectShape(
      "At most one thing that happens, at a time, and what must be true afterwards.",
      [
        .optional("name", .text(.name), "What to call the step in results"),
        .optional("at", .text(.duration), "Moves the clock to this long after the start"),
      ] + actionMembers + [.optional("expect", ExpectationFormat.expectation, "What must be true after all that")],
      rules: [.atMostOne(actions), .atLeastOne(["at"] + actions + ["expect"])]))

  private static let actionMembers: [ObjectShape.Member] = [
    .optional("event-attribution", .body(EventAttributionInput.self), "An app opens a URL with a `UIEventAttribution`"),
    .optional("link-click", .body(LinkClickInput.self), "A user follows a link"),
    .optional("triggering-event", .body(TriggeringEventInput.self), "A page's request was redirected"),
    .optional("load", .body(LoadInput.self), "A page makes a request"),
    .optional("advance", .oneOf([.text(.duration), .body(ClockAdvance.self)]), "Moves the clock"),
    .optional("settings", .named("settings", .body(SettingsChange.self)), "Changes these settings"),
    .optional("app", registration, "Registers an app"),
    .optional("remove-app", .text, "Removes the app with this bundle identifier"),
    .optional("sites", sites, "From here on these sites behave so; those that are not named stay"),
    .optional(
      "clear",
      .object(
        ObjectShape(
          "What to clear.", [.optional("site", .text, "Only what names this site; all that was measured when absent")])),
      "Clears measured data"),
    .optional(
      "restart", .object(ObjectShape("Nothing to say.", [])),
      "Ends the browser's process and starts it again over the same data"),
  ]

  private static let registration: Shape = .oneOf([
    .object(
      ObjectShape(
        "An app by the values of its manifest.",
        [
          .required("bundleIdentifier", .text, "Its `CFBundleIdentifier`"),
          .optional("reportEndpoint", .nullable(.text), "Where its reports go; absent, the manifest has no such key"),
        ])),
    .object(
      ObjectShape(
        "An app by a file.", [.required("manifest", .text, "The path of an Info.plist, seen from the scenario's folder")])),
    .object(
      ObjectShape("An app by the text of its manifest.", [.required("plist", .text, "An XML property list")])),
  ])

  private static let sites: Shape = .named("sites", .map(.host, SiteFormat.site))
}
