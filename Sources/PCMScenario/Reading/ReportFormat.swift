import PCMNetwork
import PCMSimulatedSites

/// The format of expected reports and requests.
enum ReportFormat {
  static let recipients = ["source", "destination"]
  static let states = ["scheduled", "sending", "delivered", "failed", "superseded", "cleared"]

  static let report: Shape = .object(
    ObjectShape(
      "One of the two reports of an attribution.",
      [
        .optional("recipient", .choice(recipients), "The recipient"),
        .optional("state", .choice(states), "The state"),
        .optional("due", .named("window", .window), "The due time since the start"),
        .optional("failure", .nullable(.text(.code)), "The code of the last attempt's error"),
        .optional("body", .nullable(.named("reportBody", body)), "The body"),
        .optional("url", .nullable(.text), "The URL"),
        .optional("id", .nullable(.text), "The identifier in this browser"),
        .optional("attributionId", .nullable(.text), "The attribution"),
        .optional("dueAt", .nullable(.text), "The due time as an instant"),
        .optional("retryAt", .nullable(.text), "The time of the next attempt"),
        .optional("attemptCount", .nullable(.integer), "The number of attempts to send it"),
        .optional("attempts", .list(.any, 0...20), "The first attempt and the latest ones"),
      ]))

  static let body: Shape = .object(
    ObjectShape(
      "The body of a report.",
      [
        .optional("source_engagement_type", .nullable(.text), "Always `click`"),
        .optional("source_site", .nullable(.text), "The source site of the click"),
        .optional("source_id", .nullable(.integer), "0 to 255"),
        .optional("attributed_on_site", .nullable(.text), "The destination site of the click"),
        .optional("trigger_data", .nullable(.integer), "0 to 15"),
        .optional("version", .nullable(.integer), "The protocol's version"),
        .optional("source_secret_token", .nullable(.text), "The source's token"),
        .optional("source_secret_token_signature", .nullable(.text), "Its signature"),
        .optional("destination_secret_token", .nullable(.text), "The destination's token"),
        .optional("destination_secret_token_signature", .nullable(.text), "Its signature"),
      ]))

  static let request: Shape = .object(
    ObjectShape(
      "A request that was sent.",
      [
        .optional("to", .text(.host), "The host"),
        .optional("kind", .choice(RequestTarget.Kind.allCases.map(\.rawValue)), "The kind of request"),
        .optional("body", .any, "The body, with all members in order"),
        .optional("tokens", tokens, "The verdicts on the tokens"),
        .optional("within", .named("window", .window), "The time at which it was sent, since the start"),
      ]))

  private static let tokens: Shape = .object(
    ObjectShape(
      "The verdicts according to the key that the site served last.",
      recipients.map {
        .optional($0, .nullable(.choice(["verified", "rejected", "unverified"])), "The verdict on the \($0)'s token")
      }))
}
