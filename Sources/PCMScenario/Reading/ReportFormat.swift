/// What may be expected of reports, and of what left.
enum ReportFormat {
  static let recipients = ["source", "destination"]
  static let states = ["scheduled", "sending", "delivered", "failed", "superseded", "cleared"]
  /// Of a report as the scenario sees it, besides the API's members.
  static let additions = ["due", "failure"]

  static let report: Shape = .object(
    ObjectShape(
      "One of the two reports of an attribution.",
      [
        .optional("recipient", .choice(recipients), "Whose copy it is"),
        .optional("state", .choice(states), "How far it is"),
        .optional("due", .named("window", .window), "When it may go out, since the start"),
        .optional("failure", .nullable(.text(.code)), "The code of the last attempt's error"),
        .optional("body", .nullable(.named("reportBody", body)), "What goes out"),
        .optional("url", .nullable(.text), "Where it goes"),
        .optional("id", .nullable(.text), "Its name in this browser"),
        .optional("attribution", .nullable(.text), "The attribution that it tells of"),
        .optional("dueAt", .nullable(.text), "When it may go out, as an instant"),
        .optional("retryAt", .nullable(.text), "When it is sent again"),
        .optional("attempts", .list(.any, 0...1_000), "Each attempt to send it"),
      ]))

  static let body: Shape = .object(
    ObjectShape(
      "The body of a report.",
      [
        .optional("source_engagement_type", .nullable(.text), "Always a click"),
        .optional("source_site", .nullable(.text), "The click's source"),
        .optional("source_id", .nullable(.integer), "0 to 255"),
        .optional("attributed_on_site", .nullable(.text), "The click's destination"),
        .optional("trigger_data", .nullable(.integer), "0 to 15"),
        .optional("version", .nullable(.integer), "The protocol's version"),
        .optional("source_secret_token", .nullable(.text), "The source's token"),
        .optional("source_secret_token_signature", .nullable(.text), "Its signature"),
        .optional("destination_secret_token", .nullable(.text), "The destination's token"),
        .optional("destination_secret_token_signature", .nullable(.text), "Its signature"),
      ]))

  static let request: Shape = .object(
    ObjectShape(
      "A request that left.",
      [
        .optional("to", .text(.host), "The host"),
        .optional("kind", .choice(["report", "token-key", "sign", "load"]), "What it is for"),
        .optional("body", .any, "Its body, all members in their order"),
        .optional("tokens", tokens, "What the pairs of token and signature are worth"),
        .optional("within", .named("window", .window), "When it left, since the start"),
      ]))

  private static let tokens: Shape = .object(
    ObjectShape(
      "By the key that the side's site served last.",
      recipients.map { .optional($0, .nullable(.choice(["verified", "rejected", "unverified"])), "The \($0)'s pair") }))
}
