import PCMCore

/// What may be expected of a step. Of the API's objects the members are known; their values are compared when played.
enum ExpectationFormat {
  static let outcomes = ["stored", "held", "discarded", "attributed", "unmatched", "rejected", "notTriggering"]

  static let expectation: Shape = .named(
    "expectation",
    .object(
      ObjectShape(
        "What must be true. Only what is named is compared; null also stands for a member that is not there.",
        [
          .optional("outcome", .choice(outcomes), "What the click or triggering event came to"),
          .optional("reasons", .list(.text(.code), 0...100), "The codes of the answer's reasons: all, in order"),
          .optional(
            "status", .integer(100...599), "The HTTP status of the answer; absent, the call must have been accepted"),
          .optional("errors", .list(.text(.pointer), 0...100), "The pointers of the problem's errors: all, in order"),
          .optional("answer", .any, "The whole answer of the call"),
          .optional("events", grouped(event), "The log events of this step: all, in order"),
          .optional("measurements", measurements, "What is stored, attributed and held"),
          .optional("reports", .list(.named("report", ReportFormat.report), 0...1_000), "All reports, as they were scheduled"),
          .optional("sent", grouped(.named("request", ReportFormat.request)), "All that left since the start, in order"),
          .optional("explanation", explanation, "The first rule that objected, and why"),
          .optional("nothing", .yes, "Nothing is stored, held, attributed or waiting to be sent"),
        ])))

  /// A list within the list names items in any order.
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
          [.required("kind", kind, "What it tells of"), .optional("detail", .any, "What its kind calls for")])),
    ]))

  private static let kind: Shape = .choice(EventKind.allCases.filter(\.isExpected).map(\.rawValue))

  private static let measurements: Shape = .object(
    ObjectShape(
      "The API's measurements.",
      [
        .optional("unattributed", .list(.named("click", click), 0...10_000), "Clicks that wait for a trigger"),
        .optional("attributed", .list(.named("attribution", attribution), 0...10_000), "Attributions that are kept"),
        .optional("held", .nullable(.named("click", click)), "The click in the ephemeral slot"),
      ]))

  static let click: Shape = .object(
    ObjectShape(
      "A click that the browser keeps.",
      [
        .optional("id", .nullable(.text), "The click's name in this browser"),
        .optional("sourceSite", .nullable(.text), "The registrable domain of its source"),
        .optional("destinationSite", .nullable(.text), "The registrable domain that it leads to"),
        .optional("sourceID", .nullable(.integer), "The ad, 0 to 255"),
        .optional("bundleIdentifier", .nullable(.text), "The app under which it was made"),
        .optional("clickedAt", .nullable(.text), "When the user acted"),
        .optional("expiresAt", .nullable(.text), "Seven days later"),
        .optional("sourceToken", .nullable(.named("token", token)), "The source's token, once it is there"),
      ]))

  static let attribution: Shape = .object(
    ObjectShape(
      "A click with its trigger.",
      [
        .optional("id", .nullable(.text), "The attribution's name in this browser"),
        .optional("sourceSite", .nullable(.text), "The registrable domain of the click's source"),
        .optional("destinationSite", .nullable(.text), "The registrable domain where the event happened"),
        .optional("sourceID", .nullable(.integer), "The ad, 0 to 255"),
        .optional("triggerData", .nullable(.integer), "0 to 15"),
        .optional("priority", .nullable(.integer), "0 to 63"),
        .optional("bundleIdentifier", .nullable(.text), "The app under which the click was made"),
        .optional("attributedAt", .nullable(.text), "When the event happened"),
        .optional("sourceReport", .nullable(.text), "The source's report; null once it has gone out"),
        .optional("destinationReport", .nullable(.text), "The destination's report; null once it has gone out"),
        .optional("sourceToken", .nullable(.named("token", token)), "The source's token, if there is one"),
        .optional("destinationToken", .nullable(.named("token", token)), "The destination's token, if there is one"),
      ]))

  private static let token: Shape = .object(
    ObjectShape(
      "A signed token.", [.optional("keyID", .nullable(.text), "The name of the key that signed it")]))

  private static let explanation: Shape = .object(
    ObjectShape(
      "Why something happened or did not.",
      [
        .optional(
          "of",
          .object(
            ObjectShape("A destination.", [.required("destination", .text, "A site")])),
          "What to explain; the step's click or triggering event when absent"),
        .optional("rule", .nullable(.text), "The first rule that objected; null when none did"),
        .optional("reason", .nullable(.text(.code)), "The code of its reason"),
      ]))
}
