/// The values in an app's Info.plist that control the attribution of app installs and re-engagement (references: SKAdNetwork,
/// sections 1 and 9; AdAttributionKit, sections 2, 6, 7, and 8).
package struct AppAdAttribution: Hashable, Sendable {
  /// The identifiers of `SKAdNetworkItems` that a device can recognize, in order.
  package var skAdNetworkIdentifiers: [String] = []
  /// The identifiers of `AdNetworkIdentifiers` that a device can recognize, in order.
  package var adNetworkIdentifiers: [String] = []
  /// The site of `NSAdvertisingAttributionReportEndpoint`, which receives copies of SKAdNetwork postbacks; nil for none.
  package var skAdNetworkCopySite: Site?
  /// The site of `AttributionCopyEndpoint`, which receives copies of AdAttributionKit postbacks; nil for none.
  package var adAttributionKitCopySite: Site?
  /// `AttributionCopyEndpoint` as written; nil when it is missing or not a string.
  package var copyEndpoint: String?
  /// The windows for ads of networks without their own.
  package var globalWindows = Windows()
  /// The windows by ad network identifier.
  package var networkWindows: [String: Windows] = [:]
  package var cooldowns = Cooldowns()
  /// Whether several re-engagement conversions can be active, distinguished by a tag.
  package var hasOverlappingConversions = false
  /// Whether the copies include postbacks of re-engagement.
  package var copiesReengagementPostbacks = false
  /// `NSUserTrackingUsageDescription`, the text of the prompt for permission to track; nil when it is missing or not a string.
  package var trackingUsageDescription: String?

  package init() {}

  /// The time from an interaction with an ad to the install that is attributed to it.
  package struct Windows: Hashable, Sendable {
    package var click = Interval.days(30)
    package var view = Interval.days(1)
    /// The type of interactions that are not attributed at all; nil when both are.
    package var ignoredInteraction: InteractionType?

    package init() {}

    package static let clickDays = 1...30
    package static let viewDays = 1...7
  }

  /// The time after a conversion in which the app has no other.
  package struct Cooldowns: Hashable, Sendable {
    package var install = Interval.hours(0)
    package var reengagement = Interval.hours(0)

    package init() {}

    package static let hours = 0...720
  }
}

extension AppAdAttribution {
  package var skAdNetworkCopyURL: String? { skAdNetworkCopySite.map(AdFramework.skadnetwork.copyURL) }
  package var adAttributionKitCopyURL: String? { adAttributionKitCopySite.map(AdFramework.adattributionkit.copyURL) }

  /// The member `adAttribution` of an app in the API, without the endpoint's user information.
  package var json: JSON {
    let networks = networkWindows.sorted { $0.key < $1.key }
    let members: JSON = [
      "skAdNetworkIdentifiers": .array(skAdNetworkIdentifiers.map { .string($0) }),
      "adNetworkIdentifiers": .array(adNetworkIdentifiers.map { .string($0) }),
      "skAdNetworkCopyURL": .string(skAdNetworkCopyURL),
      "attributionCopyEndpoint": .string(copyEndpoint?.withoutUserInformation),
      "adAttributionKitCopyURL": .string(adAttributionKitCopyURL),
      "attributionWindows": [
        "global": .object(globalWindows.members),
        "networks": .array(
          networks.map { network, windows in windows.json(of: network) }),
      ],
      "attributionCooldowns": cooldowns.json,
      "overlappingConversions": .bool(hasOverlappingConversions),
      "reengagementPostbackCopies": .bool(copiesReengagementPostbacks),
    ]
    guard let trackingUsageDescription else { return members }
    return .object(members.members + [.init("trackingUsageDescription", .string(trackingUsageDescription))])
  }
}

extension AppAdAttribution.Windows {
  var members: [JSON.Member] { [.init("click", .string(click.text)), .init("view", .string(view.text))] }

  /// The windows for ads of a network.
  func json(of network: String) -> JSON {
    .object(
      [.init("adNetworkIdentifier", .string(network))] + members
        + [.init("ignoredInteractionType", .string(ignoredInteraction?.rawValue))])
  }
}

extension AppAdAttribution.Cooldowns {
  var json: JSON { ["install": .string(install.text), "reengagement": .string(reengagement.text)] }
}

extension AppAdAttribution {
  /// Reads the output of ``json``; `copyEndpoint` lacks its user information. Returns nil for a value that ``json`` would write in
  /// another form.
  package init?(json: JSON) {
    self.init()
    func texts(_ name: String) -> [String] { json[name]?.items.compactMap(\.string) ?? [] }
    func copySite(_ name: String) -> Site? {
      json[name]?.string.map { Site(String($0.dropFirst("https://".count).prefix { $0 != "/" })) }
    }
    skAdNetworkIdentifiers = texts("skAdNetworkIdentifiers")
    adNetworkIdentifiers = texts("adNetworkIdentifiers")
    skAdNetworkCopySite = copySite("skAdNetworkCopyURL")
    adAttributionKitCopySite = copySite("adAttributionKitCopyURL")
    copyEndpoint = json["attributionCopyEndpoint"]?.string
    globalWindows = Windows(json: json["attributionWindows"]?["global"])
    for item in json["attributionWindows"]?["networks"]?.items ?? [] {
      networkWindows[item["adNetworkIdentifier"]?.string ?? ""] = Windows(json: item)
    }
    cooldowns.install = json["attributionCooldowns"]?.interval("install") ?? cooldowns.install
    cooldowns.reengagement = json["attributionCooldowns"]?.interval("reengagement") ?? cooldowns.reengagement
    hasOverlappingConversions = json["overlappingConversions"] == .bool(true)
    copiesReengagementPostbacks = json["reengagementPostbackCopies"] == .bool(true)
    trackingUsageDescription = json["trackingUsageDescription"]?.string
    guard self.json == json else { return nil }
  }
}

extension AppAdAttribution.Windows {
  fileprivate init(json: JSON?) {
    click = json?.interval("click") ?? click
    view = json?.interval("view") ?? view
    ignoredInteraction = json?["ignoredInteractionType"]?.string.flatMap(InteractionType.init)
  }
}

extension JSON {
  fileprivate func interval(_ name: String) -> Interval? { self[name]?.string.flatMap { Interval(text: $0) } }
}
