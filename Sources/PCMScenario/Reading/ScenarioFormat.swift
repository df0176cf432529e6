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
        .optional("apps", .map(.any, AdFormat.app), "Apps that are registered before the first step, by bundle identifier"),
        .optional("sites", sites, "Sites that differ from a good endpoint, by host"),
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

  private static let step: Shape = .object(
    ObjectShape(
      "At most one action, its time, and the expected results.",
      [
        .optional("name", .text(.name), "The step's name in results"),
        .optional("at", .text(.duration), "Advances the clock to this time after the start"),
      ] + actions + [.optional("expect", ExpectationFormat.expectation, "The expected results")],
      rules: [.atMostOne(actions.map(\.name)), .atLeastOne(["at"] + actions.map(\.name) + ["expect"])]))

  private static let actions = ActionFormat.all.map(\.member)

  private static let sites: Shape = .named("sites", .map(.host, SiteFormat.site))
}
