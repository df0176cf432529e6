/// The bodies of the control API's calls: which members there are and of which type. Values are left to the API, so that a
/// scenario can make a call that must be refused. A member that is null counts as absent there.
enum APIBody {
  static let eventAttribution: Shape = .object(
    ObjectShape(
      "The body of `POST …/event-attributions`.",
      [
        .required("app", .text, "The bundle identifier of a registered app"),
        .required("sourceIdentifier", .integer, "The ad, 0 to 255"),
        .required("destinationURL", .text, "The ad's destination"),
        .optional("sourceDescription", .nullable(.text), "What the ad shows"),
        .optional("purchaser", .nullable(.text), "Who pays for the ad"),
        .optional("sourceNonce", .nullable(.text), "16 bytes in base64url, for which the source's site signs a token"),
        .optional("tapVerified", .nullable(.flag), "Whether the tap landed on a covered control; true when absent"),
        .optional("presentation", .nullable(.text), "`openURL`, which it is when absent, or `safariViewController`"),
        .optional("openedURL", .nullable(.text), "The URL that the app opens; `destinationURL` when absent"),
        .optional("landingURL", .nullable(.text), "Where the main frame commits; `openedURL` when absent"),
      ]))

  static let linkClick: Shape = .object(
    ObjectShape(
      "The body of `POST …/link-clicks`.",
      [
        .required("pageURL", .text, "The top page with the link"),
        .optional("attributionSourceID", .nullable(.text), "The attribute `attributionsourceid` as written"),
        .optional("attributionDestination", .nullable(.text), "The attribute `attributiondestination` as written"),
        .optional("attributionSourceNonce", .nullable(.text), "The attribute `attributionsourcenonce` as written"),
        .optional("href", .nullable(.text), "Where the link leads"),
        .optional("landingURL", .nullable(.text), "Where the main frame commits, redirects followed"),
        .optional("userGesture", .nullable(.flag), "Whether the user followed the link and not a script; true when absent"),
        .optional("app", .nullable(.text), "The bundle identifier of the app whose web view shows the page"),
      ]))

  static let triggeringEvent: Shape = .object(
    ObjectShape(
      "The body of `POST …/triggering-events`.",
      [
        .required("firstPartyURL", .text, "The page"),
        .required("redirect", redirect, "The redirect"),
        .optional("app", .nullable(.text), "The bundle identifier under which the page runs"),
      ]))

  static let redirect: Shape = .object(
    ObjectShape(
      "One redirect.",
      [
        .required("from", .text, "The hop that answered with the redirect"),
        .required("to", .text, "Where it redirected to"),
      ]))

  static let load: Shape = .object(
    ObjectShape(
      "The body of `POST …/loads`.",
      [
        .required("firstPartyURL", .text, "The page that makes the request"),
        .required("url", .text, "What is requested"),
        .optional(
          "kind", .nullable(.text),
          "`image`, which it is when absent, `script`, `fetch`, `frame`, or `style`; decides about http on an https page"),
        .optional("method", .nullable(.text), "`GET`, which it is when absent, or `POST`"),
        .optional("app", .nullable(.text), "The bundle identifier under which the page runs"),
      ]))

  static let clockAdvance: Shape = .object(
    ObjectShape(
      "The body of `POST …/clock/advance`, exactly one member.",
      [
        .optional("by", .nullable(.text), "How far, as a duration"),
        .optional("to", .nullable(.text), "Where to, as an instant"),
        .optional("toNextEvent", .nullable(.flag), "To the next instant at which something happens"),
        .optional("untilIdle", .nullable(.flag), "Until no report is left to send"),
      ]))

  private static let logRetention: Shape = .object(
    ObjectShape(
      "How much of the event log is kept.",
      [
        .optional("maximumCount", .nullable(.integer), "How many events"),
        .optional("maximumAge", .nullable(.text), "How old on the browser's clock, as a duration"),
      ]))

  static let settings: Shape = .object(
    ObjectShape(
      "Settings as in the control API.",
      [
        .optional("measurementEnabled", .nullable(.flag), "Off: clicks and triggers are dropped, and what is due waits"),
        .optional("privateBrowsing", .nullable(.flag), "On: every click waits in the private session's slot"),
        .optional("debugMode", .nullable(.flag), "On: reports go out after ten seconds"),
        .optional("deliveryPolicy", .nullable(.text), "`webkit` or `reliable`"),
        .optional("reportURL", .nullable(.text), "`wellKnown` or `manifest`"),
        .optional("logRetention", .nullable(logRetention), "How much of the event log is kept"),
      ]))
}
