package import PCMCore

/// The ad that the extras of a card describe (content cards reference, section B4).
package enum CardAd: Hashable, Sendable {
  /// A click opens the card's URL with this event attribution.
  case eventAttribution(EventAttributionInput)
  /// An ad of SKAdNetwork or AdAttributionKit.
  case impression(ImpressionInput)
  /// The parameters are invalid.
  case invalid(Reason)

  package var name: String {
    switch self {
    case .eventAttribution: EventAttributionInput.name
    case .impression: ImpressionInput.name
    case .invalid: CardAttribution.invalid
    }
  }

  /// The catalog's entries for reasons outside rules.
  static let reasons = [
    RuleTitle(
      reason: "card-ad-invalid",
      "The measurement parameters of a card cannot be used. The app logs the click or the impression, and nothing is measured.",
      .ours("the names of the parameters are a convention of this project"), change: "correct the parameters in extras")
  ]

  /// The parameters of a web ad.
  fileprivate static let webParameters = [
    "attribution_source_id", "attribution_destination", "source_description", "purchaser",
  ]
  /// The parameters whose presence makes a card an ad.
  fileprivate static let parametersOfAds = [
    "attribution_source_id", "attribution_destination", "jws", "adNetworkIdentifier", "signature",
  ]
  /// All parameters. For an ad of an app, they have the same names as in the call that displays it.
  fileprivate static let parameters =
    webParameters + ImpressionInput.definition.description.members.map(\.name).filter { $0 != "bundleIdentifier" }

  fileprivate static func invalid(_ details: [String]) -> Reason {
    Reason("card-ad-invalid", details.joined(separator: "; "))
  }
}

extension ImpressionInput {
  /// Whether the ad is displayed with the card, so that its view counts. Other ads are displayed after a click on the card.
  package var isDisplayedWithCard: Bool { jws != nil || presentation == "view-through" }
}

extension FeedCard {
  /// The ad of the card; nil for a card without measurement parameters.
  package var ad: CardAd? {
    let isWebAd = ["attribution_source_id", "attribution_destination"].contains { card.extra($0) != nil }
    let isAppAd = ["jws", "adNetworkIdentifier", "signature"].contains { card.extra($0) != nil }
    switch (isWebAd, isAppAd) {
    case (false, false):
      let hints = classType == CardFeedInput.adClass ? card.misspellings(of: CardAd.parametersOfAds) : []
      return hints.isEmpty ? nil : .invalid(CardAd.invalid(hints))
    case (true, true): return .invalid(CardAd.invalid(["extras has parameters of a web ad and of an app ad; use two cards"]))
    case (true, false): return eventAttribution
    case (false, true): return appAd
    }
  }

  /// Returns the reason an operation rejects the values of the ad, with their names in the card.
  package func refusal(_ errors: [InputError]) -> Reason {
    let destination = card.parameter("attribution_destination") == nil ? "urlString" : "attribution_destination"
    var details: [String] = []
    for error in errors {
      let member = error.path.first ?? "extras"
      let name = ["destinationURL": destination, "openedURL": "urlString"][member] ?? member
      let detail = "\(name): \(error.detail)"
      if !details.contains(detail) { details.append(detail) }
    }
    return CardAd.invalid(details)
  }

  private var eventAttribution: CardAd {
    guard let sourceID = card.parameter("attribution_source_id").flatMap({ UInt8($0) }) else {
      let given = card.extra("attribution_source_id")
      if let hint = card.misspellings(of: ["attribution_source_id"]).first { return .invalid(CardAd.invalid([hint])) }
      let found =
        given.map { "attribution_source_id is \($0.text.asShown(upTo: 100))" } ?? "extras has no attribution_source_id"
      return .invalid(CardAd.invalid(["\(found); use an integer from 0 to 255"]))
    }
    let url = card.url ?? ""
    return .eventAttribution(
      EventAttributionInput(
        bundleIdentifier: bundleIdentifier, sourceIdentifier: Int(sourceID),
        destinationURL: card.parameter("attribution_destination") ?? url,
        sourceDescription: card.parameter("source_description"), purchaser: card.parameter("purchaser"), openedURL: url))
  }

  /// Reads the parameters, whose names are the names in the call that displays an ad. Numbers and Booleans may be strings.
  private var appAd: CardAd {
    let members = ImpressionInput.definition.description.members.compactMap { member -> JSON.Member? in
      guard member.name != "bundleIdentifier", let given = card.extra(member.name) else { return nil }
      return JSON.Member(member.name, card.parameter(member.name).map { Self.value($0, of: member.value.kind) } ?? given)
    }
    let body = JSON.object([.init("bundleIdentifier", .string(bundleIdentifier))] + members)
    do throws(BodyError) {
      return .impression(try ImpressionInput(json: body.bytes))
    } catch {
      guard case .invalid(let errors) = error else { return .invalid(CardAd.invalid(["extras cannot be read"])) }
      return .invalid(CardAd.invalid(errors.map { "extras: \($0.detail)" }))
    }
  }

  private static func value(_ text: String, of kind: ValueDescription.Kind) -> JSON {
    switch kind {
    case .integer: Int64(text).map { .number($0) } ?? .string(text)
    case .flag where text == "true" || text == "false": .bool(text == "true")
    default: .string(text)
    }
  }
}

extension ContentCard {
  /// Returns a sentence for each misspelled parameter in the extras, unless the extras also have the correct parameter.
  ///
  /// - Parameter parameters: The names of the parameters. The default is all parameters.
  func misspellings(of parameters: [String] = CardAd.parameters) -> [String] {
    let names = (extras.flatMap { JSON(parsing: Array($0.utf8)) }?.members ?? []).map(\.name)
    return names.filter { !CardAd.parameters.contains($0) && $0 != classKey ?? CardFeedInput.standardClassKey }.compactMap {
      name in
      let nearest = EditDistance.nearest(of: parameters.filter { !names.contains($0) }) { parameter in
        let letters = Self.letters(of: parameter)
        return EditDistance.between(Self.letters(of: name), letters, atMost: letters.count / 5)
      }.first
      return nearest.map { "extras has \(name.asShown(upTo: 100)), which is no parameter; use \($0)" }
    }
  }

  /// Returns the letters and digits of a name in lower case, so that names in other styles are similar.
  private static func letters(of name: String) -> [UInt8] {
    name.lowercased().utf8.filter { (97...122).contains($0) || (48...57).contains($0) }
  }
}
