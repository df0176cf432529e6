import PCMBrowser
import PCMCore
import PCMCrypto
import PCMScenario

/// The format of a simulation's profile.
enum ProfileFormat {
  /// The kind of lines that are counted and not played.
  static let ignoredKind = "ignore"

  static let file: Shape = .object(
    ObjectShape(
      "How a file of events is read, and what its users share.",
      [
        .optional("columns", columns, "The file's names of the columns. Columns of the file without a name here are ignored"),
        .optional(
          "kinds", .map(.any, .choice(EventStep.names + [ignoredKind])),
          "The file's words for kinds of events. Lines of the kind `ignore` are counted and not played"),
        .optional("settings", settings, "The shares of users whose browser differs"),
        .optional("encodings", encodings, "How values of the file become numbers of reports and postbacks"),
        .optional("device", .body(DeviceChange.self), "The properties of each user's device, for ads in apps"),
        .optional(
          "ad_networks", .map(.any, AdFormat.adNetwork),
          "The ad networks, by identifier; `example123.skadnetwork` with the published test key when absent"),
        .optional("apps", .list(app, 0...Browser.maximumAppCount), "The apps that display ads, and the advertised apps"),
        .optional("crowd_tiers", .body(CrowdTiers.self), "The crowd of each install and re-engagement"),
      ]))

  private static let app: Shape = .oneOf([
    .object(
      ObjectShape(
        "An app with the file of its manifest.",
        [.required("manifest", .text, "The path of an Info.plist, relative to the profile's folder"), AdFormat.name]
          + AdFormat.build)),
    AdFormat.namedApp,
  ])

  static var schema: JSON {
    file.document(
      title: "pcm-browser simulation profile",
      example: [
        "columns": ["user": "customer", "kind": "event", "source": ["value": "news.example"]],
        "kinds": ["ad_click": "click", "order": "trigger", "page_view": "ignore"],
        "settings": ["private_share": 0],
        "encodings": [
          "source_id": ["from": "campaign", "table": ["spring": 7], "default": 0],
          "data": ["from": "revenue", "buckets": [10, 50, 100]],
        ],
      ])
  }

  private static let columns: Shape = .object(
    ObjectShape(
      "The file's name of each column. Without a name here, a column has its own name.",
      ["user", "time"].map { .optional($0, .text, "The name of the column `\($0)` in the file") }
        + EventColumns.all.names.dropFirst(2).map {
          .optional($0, .oneOf([.text, constant]), "The name of the column `\($0)` in the file, or a value for all lines")
        }))

  private static let constant: Shape = .object(
    ObjectShape("A value for all lines.", [.required("value", .oneOf([.text, .integer, .flag]), "The value")]))

  private static let settings: Shape = .object(
    ObjectShape(
      "Shares of users. A draw from the user's seed decides, so that a larger share adds users.",
      [
        .optional("private_share", .share, "The share of users whose browsing is private"),
        .optional("measurement_off_share", .share, "The share of users who switched measurement off"),
        .optional(
          "other_browser_share", .share,
          "The share of users without Safari, whose clicks and events are lost with the reason `other-browser`"),
      ]))

  /// The columns that an encoding can make, with their numbers.
  private static let numbers: [(column: String, range: ClosedRange<Int64>)] = [
    ("source_id", 0...255), ("data", 0...15), ("priority", 0...63),
    ("sourceIdentifier", CampaignIdentifier.sourceIdentifiers), ("fineValue", ConversionValue.fineValues),
  ]
  /// The column whose values are words, in the order of buckets.
  static let coarse = (column: "coarseValue", words: ConversionValueInput.coarseValues)

  private static let encodings: Shape = .object(
    ObjectShape(
      "How values of the file become the numbers of reports and postbacks.",
      numbers.map {
        .optional(
          $0.column, encoding(.integer($0.range), limitCount: Int($0.range.upperBound)),
          "The numbers of the column `\($0.column)`")
      } + [
        .optional(
          coarse.column, encoding(.choice(coarse.words), limitCount: coarse.words.count - 1),
          "The coarse values, for which buckets count as `low`, `medium`, and `high`")
      ]))

  private static func encoding(_ number: Shape, limitCount: Int) -> Shape {
    .object(
      ObjectShape(
        "A number from a table, from buckets, or for all lines.",
        [
          .optional("from", .text, "The column of the file with the value"),
          .optional("table", .map(.any, number), "The number of each value"),
          .optional(
            "buckets", .list(.number, 1...limitCount),
            "Limits in ascending order. The number is the count of limits up to the value"),
          .optional("default", number, "The number of an empty cell, and of a value that is not in the table"),
          .optional("value", number, "The number for all lines"),
        ],
        rules: [.atLeastOne(["table", "buckets", "value"]), .atMostOne(["table", "buckets"]), .alone("value")]))
  }
}
