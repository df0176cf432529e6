public import Foundation

/// What an app hands the system when an ad is tapped. The names are those of Apple's `UIEventAttribution`.
public struct EventAttribution: Hashable, Sendable {
  /// The ad campaign or the ad, 0 to 255.
  public var sourceIdentifier: UInt8
  /// The ad's destination, as the app would pass it.
  public var destinationURL: String
  /// The ad in words.
  public var sourceDescription: String
  /// Who paid for it.
  public var purchaser: String
  /// A nonce of 16 bytes in base64url, for which the source's site signs a token. An extension: `UIEventAttribution` has
  /// none, and on a device an app's click gets no token.
  public var sourceNonce: String?

  /// An event attribution with a URL in a literal.
  public init(
    sourceIdentifier: UInt8, destinationURL: String, sourceDescription: String = "", purchaser: String = "",
    sourceNonce: String? = nil
  ) {
    self.sourceIdentifier = sourceIdentifier
    self.destinationURL = destinationURL
    self.sourceDescription = sourceDescription
    self.purchaser = purchaser
    self.sourceNonce = sourceNonce
  }

  /// The same arguments as `UIEventAttribution` takes.
  public init(sourceIdentifier: UInt8, destinationURL: URL, sourceDescription: String, purchaser: String) {
    self.init(
      sourceIdentifier: sourceIdentifier, destinationURL: destinationURL.absoluteString,
      sourceDescription: sourceDescription, purchaser: purchaser)
  }
}

/// How an app opens a URL.
public struct Presentation: Term {
  /// The value as the service writes it.
  public let rawValue: String

  /// Any word, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `open(_:options:)` of a scene or of the application.
  public static let openURL = Presentation("openURL")
  /// `SFSafariViewController`.
  public static let safariViewController = Presentation("safariViewController")
}

/// A link `<a attributionsourceid attributiondestination attributionsourcenonce href>`, each attribute as written.
public struct AttributionLink: Hashable, Sendable {
  /// `attributionsourceid`; nil when the link lacks it.
  public var sourceID: String?
  /// `attributiondestination`; nil when the link lacks it.
  public var destination: String?
  /// `attributionsourcenonce`; nil when the link lacks it.
  public var sourceNonce: String?
  /// Where the link leads. Matters for links to the App Store only.
  public var href: String?

  /// A link; what is left out, the link lacks.
  public init(sourceID: String? = nil, destination: String? = nil, sourceNonce: String? = nil, href: String? = nil) {
    self.sourceID = sourceID
    self.destination = destination
    self.sourceNonce = sourceNonce
    self.href = href
  }
}

/// A request of a destination's page that was redirected to the trigger path.
public struct TriggeringEvent: Hashable, Sendable {
  /// The page that made the request.
  public var firstPartyURL: String
  /// What it asked for.
  public var redirectFrom: String
  /// Where it was redirected to.
  public var redirectTo: String

  /// Any redirect, well-formed or not.
  public init(firstPartyURL: String, redirectFrom: String, redirectTo: String) {
    self.firstPartyURL = firstPartyURL
    self.redirectFrom = redirectFrom
    self.redirectTo = redirectTo
  }

  /// The usual one: a pixel of the click's source, which redirects on its own site.
  ///
  /// - Parameters:
  ///   - source: The source's host: `news.example`.
  ///   - data: The trigger data, 0 to 15.
  ///   - priority: 0 to 63; nil leaves it out of the URL.
  ///   - destinationNonce: `attributionDestinationNonce`, 16 bytes in base64url, for which the page's site signs a token;
  ///     nil leaves it out of the URL.
  ///   - firstPartyURL: The page on which the pixel is.
  public static func pixel(
    of source: String, data: UInt8, priority: UInt8? = nil, destinationNonce: String? = nil, on firstPartyURL: String
  ) -> TriggeringEvent {
    let query = destinationNonce.map { "?attributionDestinationNonce=\($0)" } ?? ""
    let tail = [data, priority].compactMap { $0 }.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "/")
    return TriggeringEvent(
      firstPartyURL: firstPartyURL, redirectFrom: "https://\(source)/pixel",
      redirectTo: "https://\(source)/.well-known/private-click-measurement/trigger-attribution/\(tail)\(query)")
  }
}
