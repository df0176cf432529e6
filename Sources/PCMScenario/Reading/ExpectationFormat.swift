import PCMCore

/// The format of a step's expectation. The members of API objects are checked here; their values are compared during the
/// run.
enum ExpectationFormat {
  static let outcomes =
    ["stored", "ephemeral", "discarded", "handed-over", "attributed", "unmatched", "rejected", "not-triggering"]
    + ["started", "recorded", "reengaged", "opened", "unattributed", "accepted", "counted"]
    + ["prompted", "answered", "changed", "terminated", "held"]

  static let expectation: Shape = .named(
    "expectation",
    .object(
      ObjectShape(
        "The expected results. Only specified members are compared. Null also matches an absent member.",
        [
          .optional("outcome", .choice(outcomes), "The outcome of the call; for a load, of its last triggering event"),
          .optional("reasons", .list(.text(.code), 0...100), "The codes of all reasons in the response, in order"),
          .optional(
            "status", .integer(100...599), "The HTTP status of the response; when absent, any 2xx status"),
          .optional("errors", .list(.text(.pointer), 0...100), "The pointers of all errors in the problem, in order"),
          .optional("answer", .any, "The whole response"),
          .optional("events", grouped(event), "All log events of the step, in order"),
          .optional("measurements", measurements, "The stored clicks, attributions, and the ephemeral click"),
          .optional(
            "reports", .list(.named("report", ReportFormat.report), 0...1_000), "All reports, in the order of scheduling"),
          .optional("report", .body(ExpectedReport.self), "The properties of a report that exists"),
          .optional("noReport", .body(ExpectedReport.self), "The properties of a report that does not exist"),
          .optional(
            "postbacks", .list(.named("postback", PostbackFormat.postback), 0...1_000),
            "All postbacks of the device, in the order of scheduling"),
          .optional(
            "droppedPostbacks", .list(PostbackFormat.dropped, 0...1_000),
            "All postbacks that the device did not create, in the order of the decisions"),
          .optional(
            "impressions", .list(PostbackFormat.impression, 0...1_000),
            "The ads that the device keeps or that apps display, in order"),
          .optional("installs", .list(PostbackFormat.install, 0...1_000), "The installed apps, by bundle identifier"),
          .optional("sent", grouped(.named("request", ReportFormat.request)), "All requests since the start, in order"),
          .optional("explanation", explanation, "The first failed rule, and its reason"),
          .optional(
            "nothing", .yes, "There are no stored or ephemeral clicks, attributions, pending reports, or pending postbacks"),
        ])))

  /// A nested list contains items in any order.
  private static func grouped(_ item: Shape) -> Shape {
    .list(.oneOf([item, .list(item, 1...1_000)]), 0...10_000)
  }

  private static let event: Shape = .named(
    "event",
    .oneOf([
      kind,
      .object(
        ObjectShape(
          "A log event.",
          [
            .required("kind", kind, "The kind of event"),
            .optional("detail", .any, "The details, which depend on the kind"),
          ])),
    ]))

  private static let kind: Shape = .choice(EventKind.allCases.filter(\.isExpected).map(\.rawValue))

  private static let measurements: Shape = .object(
    ObjectShape(
      "The clicks and attributions that the browser stores.",
      [
        .optional("unattributed", .list(.named("click", click), 0...10_000), "Clicks without an attribution"),
        .optional("attributed", .list(.named("attribution", attribution), 0...10_000), "The stored attributions"),
        .optional("ephemeral", .nullable(.named("click", click)), "The ephemeral click"),
      ]))

  static let click: Shape = .object(
    ObjectShape(
      "A click that the browser keeps.",
      [
        .optional("id", .nullable(.text), "The identifier in this browser"),
        .optional("sourceSite", .nullable(.text), "The registrable domain of the source"),
        .optional("destinationSite", .nullable(.text), "The registrable domain of the destination"),
        .optional("sourceIdentifier", .nullable(.integer), "The source identifier, 0 to 255"),
        .optional("bundleIdentifier", .nullable(.text), "The bundle identifier of the app in which it was made"),
        .optional("clickedAt", .nullable(.text), "The time of the click"),
        .optional("expiresAt", .nullable(.text), "The time at which the click expires, seven days later"),
        .optional("replacedClickId", .nullable(.text), "The identifier of the click that it replaced"),
        .optional("sourceToken", .nullable(.named("token", token)), "The source's token; null until it arrives"),
      ]))

  static let attribution: Shape = .object(
    ObjectShape(
      "A click and its triggering event.",
      [
        .optional("id", .nullable(.text), "The identifier in this browser"),
        .optional("clickId", .nullable(.text), "The identifier of the click"),
        .optional("triggeringEventId", .nullable(.text), "The identifier of the triggering event"),
        .optional("sourceSite", .nullable(.text), "The registrable domain of the click's source"),
        .optional("destinationSite", .nullable(.text), "The registrable domain of the page on which the event occurred"),
        .optional("sourceIdentifier", .nullable(.integer), "The source identifier, 0 to 255"),
        .optional("triggerData", .nullable(.integer), "0 to 15"),
        .optional("priority", .nullable(.integer), "0 to 63"),
        .optional("bundleIdentifier", .nullable(.text), "The bundle identifier of the app in which the click was made"),
        .optional("attributedAt", .nullable(.text), "The time of the attribution"),
        .optional("state", .nullable(.text), "The state: `pending`, because the list has only those"),
        .optional("sourceReportId", .nullable(.text), "The report to the source"),
        .optional("destinationReportId", .nullable(.text), "The report to the destination"),
        .optional("sourceToken", .nullable(.named("token", token)), "The source's token, if there is one"),
        .optional("destinationToken", .nullable(.named("token", token)), "The destination's token, if there is one"),
      ]))

  private static let token: Shape = .object(
    ObjectShape(
      "A signed token.", [.optional("keyId", .nullable(.text), "The identifier of the signing key")]))

  private static let explanation: Shape = .object(
    ObjectShape(
      "The explanation of a decision.",
      [
        .optional(
          "of",
          .object(
            ObjectShape("A destination.", [.required("destination", .text, "A site")])),
          "The subject; the step's click or triggering event when absent"),
        .optional("rule", .nullable(.text), "The first failed rule; null when none failed"),
        .optional("reason", .nullable(.text(.code)), "The code of its reason"),
      ]))
}
