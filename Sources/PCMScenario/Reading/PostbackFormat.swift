/// The format of expected postbacks, and of the device's ads and installs.
enum PostbackFormat {
  static let postback: Shape = .object(
    ObjectShape(
      "A postback to one recipient.",
      [
        .optional("recipient", .choice(["ad-network", "developer"]), "The recipient"),
        .optional("state", .choice(ReportFormat.states), "The state"),
        .optional("due", .named("window", .window), "The due time since the start"),
        .optional("failure", .nullable(.text(.code)), "The code of the last attempt's error"),
        .optional("body", .nullable(.named("postbackBody", body)), "The body"),
        .optional("payload", .nullable(.named("postbackPayload", payload)), "The payload of `jws-string`"),
        .optional(
          "signature", .nullable(.choice(["verified", "rejected", "unverified"])),
          "The verdict on the signature with the published test keys"),
        .optional("adNetworkIdentifier", .text, "The ad network"),
        .optional("bundleIdentifier", .text, "The advertised app"),
        .optional("framework", .text, "The framework"),
        .optional("sequenceIndex", .integer, "The number of the conversion window, 0 to 2"),
        .optional("didWin", .flag, "Whether the ad led to the conversion"),
        .optional("url", .nullable(.text), "The URL"),
        .optional("id", .nullable(.text), "The identifier on this device"),
        .optional("conversionId", .nullable(.text), "The conversion"),
        .optional("impressionId", .nullable(.text), "The ad for which the network receives the postback"),
        .optional("dueAt", .nullable(.text), "The due time as an instant"),
        .optional("retryAt", .nullable(.text), "The time of the next attempt"),
        .optional("attemptCount", .nullable(.integer), "The number of attempts to send it"),
        .optional("attempts", .list(.any, 0...20), "The first attempt and the latest ones"),
      ]))

  private static let body: Shape = .object(
    ObjectShape(
      "The body of a postback. Null stands for an absent member.",
      texts([
        "version", "ad-network-id", "source-identifier", "transaction-id", "source-domain", "coarse-conversion-value",
        "country-code", "attribution-signature", "jws-string", "ad-interaction-type",
      ])
        + integers(["campaign-id", "app-id", "source-app-id", "fidelity-type", "conversion-value", "postback-sequence-index"])
        + flags(["redownload", "did-win"])))

  private static let payload: Shape = .object(
    ObjectShape(
      "The payload of a postback of AdAttributionKit. Null stands for an absent member.",
      texts([
        "postback-identifier", "ad-network-identifier", "source-identifier", "impression-type", "conversion-type",
        "marketplace-identifier",
      ])
        + integers(["postback-sequence-index", "advertised-item-identifier", "publisher-item-identifier"])
        + flags(["did-win"])))

  static let dropped: Shape = .object(
    ObjectShape(
      "A postback that the device did not create.",
      [
        .optional("sequenceIndex", .integer, "The number of the conversion window, 0 to 2"),
        .optional("reasons", .list(.text(.code), 0...100), "The codes of the reasons"),
        .optional("conversionId", .nullable(.text), "The conversion"),
        .optional("impressionId", .nullable(.text), "The ad for which the network receives nothing"),
        .optional("change", .nullable(.text), "The smallest change with which the postback would exist"),
      ]))

  static let impression: Shape = .object(
    ObjectShape(
      "An ad that the device keeps, or that an app displays.",
      texts(["id", "state", "at", "framework", "version", "interaction", "bundleIdentifier", "adNetworkIdentifier"])
        + integers(["advertisedAppStoreItemIdentifier"]) + flags(["development"])))

  static let install: Shape = .object(
    ObjectShape(
      "An installed app.",
      texts(["bundleIdentifier", "installedAt", "launchedAt"]) + integers(["itemIdentifier"])
        + [.optional("conversions", .list(.any, 0...1_000), "Its pending conversions, oldest first")]))

  private static func texts(_ names: [String]) -> [ObjectShape.Member] {
    names.map { .optional($0, .nullable(.text), "As in the API") }
  }

  private static func integers(_ names: [String]) -> [ObjectShape.Member] {
    names.map { .optional($0, .nullable(.integer), "As in the API") }
  }

  private static func flags(_ names: [String]) -> [ObjectShape.Member] {
    names.map { .optional($0, .nullable(.flag), "As in the API") }
  }
}
