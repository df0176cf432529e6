package import PCMCore

/// A content card as an app receives it (content cards reference, section B1).
///
/// The guide's initializer requires `idString`, `created`, `dismissible`, and `extras`. A property is nil if the member is
/// missing or has a value of another type.
package struct ContentCard: Hashable, Codable, Sendable {
  /// The layout, which determines whether the app reads the title, the description, and the image.
  package enum Subtype: String, Hashable, Codable, Sendable, CaseIterable {
    case banner, classic
    case captionedImage = "captioned-image"
  }

  package var idString: String?
  /// Seconds since 1970, without a fraction.
  package var created: Int64?
  package var isDismissible: Bool?
  /// A JSON object.
  package var extras: String?
  package var url: String?
  package var title: String?
  package var cardDescription: String?
  package var image: String?
  package var subtype = Subtype.classic
  package var expiresAt: Instant?
  package var isPinned = false
  package var isViewed = false
  /// Whether the SDK's service removed the card.
  package var isRemoved = false
  /// Whether the user dismissed the card before the app received it.
  package var isDismissed: Bool?
  package var isControl = false
  /// The name of the extra with the class; nil for the guide's name.
  package var classKey: String?
  /// The reason the SDK cannot read the card; nil for a readable card.
  package var fault: String?
  /// The notes on a card that the app can show.
  package var notes: [Reason]?

  package init() {}

  /// Creates an unreadable card.
  init(unreadable fault: String, idString: String?) {
    self.idString = idString
    self.fault = fault
  }

  /// Returns the value in `extras`; nil for null.
  func extra(_ name: String) -> JSON? {
    let members = extras.flatMap { JSON(parsing: Array($0.utf8)) }?.members ?? []
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }.flatMap { $0.value == .null ? nil : $0.value }
  }

  /// Returns the value in `extras` as text; nil unless it is a string, an integer, or a Boolean.
  package func parameter(_ name: String) -> String? {
    switch extra(name) {
    case .string(let text)?: text
    case .number(let number)?: String(number)
    case .bool(let flag)?: flag ? "true" : "false"
    default: nil
    }
  }

  /// The class from the dashboard.
  package var givenClass: String? { parameter(classKey ?? CardFeedInput.standardClassKey) }

  /// The fields that the guide's initializer requires, if they are missing or have a value of another type.
  package var missingFields: [String] {
    [
      idString == nil ? "idString" : nil, created == nil ? "created" : nil, isDismissible == nil ? "dismissible" : nil,
      extras == nil ? "extras" : nil,
    ].compactMap { $0 }
  }

  /// The dictionary that the guide's helper passes to the app's initializer (content cards reference, section B2).
  package var metadata: JSON {
    let hasText = subtype != .banner
    return [
      "idString": .string(idString), "created": .number(created), "class_type": .string(givenClass),
      "dismissible": isDismissible.map { .bool($0) } ?? .null, "extras": extras.map { .verbatim($0) } ?? .null,
      "urlString": .string(url), "title": .string(hasText ? title : nil),
      "cardDescription": .string(hasText ? cardDescription : nil), "image": .string(image),
    ]
  }
}
