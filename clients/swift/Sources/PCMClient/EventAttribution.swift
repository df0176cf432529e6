public import Foundation

/// The event attribution that an app passes to the system for a tapped ad. The property names are the names in Apple's
/// `UIEventAttribution`.
///
/// ```swift
/// let ad = EventAttribution(
///   sourceIdentifier: 4, destinationURL: "https://shop.example/",
///   sourceDescription: "Banner ad for Tablet Stand Deluxe.", purchaser: "Shop Example, Inc.")
/// try await browser.open(ad, from: app)
/// ```
public struct EventAttribution: Hashable, Sendable {
  /// The identifier of the ad or its campaign, 0 to 255.
  public var sourceIdentifier: UInt8
  /// The URL of the ad's destination, as the app passes it.
  public var destinationURL: String
  /// A description of the ad.
  public var sourceDescription: String
  /// The party that purchased the ad.
  public var purchaser: String
  /// A nonce of 16 bytes in base64url, for which the source's site signs a token. This is an extension:
  /// `UIEventAttribution` has no nonce, and on a device the click of an app has no token.
  public var sourceNonce: String?

  /// Creates an event attribution with a URL as a string.
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

  /// Creates an event attribution with the arguments of `UIEventAttribution`.
  public init(sourceIdentifier: UInt8, destinationURL: URL, sourceDescription: String, purchaser: String) {
    self.init(
      sourceIdentifier: sourceIdentifier, destinationURL: destinationURL.absoluteString,
      sourceDescription: sourceDescription, purchaser: purchaser)
  }
}

extension EventAttribution {
  var members: Members {
    [
      "sourceIdentifier": sourceIdentifier, "destinationURL": destinationURL, "sourceDescription": sourceDescription,
      "purchaser": purchaser, "sourceNonce": sourceNonce,
    ]
  }
}

/// How an app opens a URL.
///
/// ```swift
/// let tap = try await browser.open(ad, from: app, presentation: .safariViewController)
/// #expect(tap.outcome == .ephemeral, "\(tap)")
/// ```
public struct Presentation: Term {
  /// The string in the service's JSON.
  public let rawValue: String

  /// Creates a value from any string, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `open(_:options:)` of a scene or of the application.
  public static let openURL = Presentation("openURL")
  /// `SFSafariViewController`.
  public static let safariViewController = Presentation("safariViewController")
}

/// A link `<a attributionsourceid attributiondestination attributionsourcenonce href>`, with each attribute as written.
///
/// ```swift
/// let link = AttributionLink(sourceIdentifier: "4", destination: "https://shop.example")
/// let click = try await browser.follow(link, on: "https://news.example/article")
/// #expect(click.outcome == .stored, "\(click)")
/// ```
public struct AttributionLink: Hashable, Sendable {
  /// `attributionsourceid`; nil when missing.
  public var sourceIdentifier: String?
  /// `attributiondestination`; nil when missing.
  public var destination: String?
  /// `attributionsourcenonce`; nil when missing.
  public var sourceNonce: String?
  /// The URL of the link, which matters only for links to the App Store.
  public var href: String?
  /// `target`; nil when missing. It matters only for links in an iframe.
  public var target: String?

  /// Creates a link. A nil attribute is missing from the link.
  public init(
    sourceIdentifier: String? = nil, destination: String? = nil, sourceNonce: String? = nil, href: String? = nil,
    target: String? = nil
  ) {
    self.sourceIdentifier = sourceIdentifier
    self.destination = destination
    self.sourceNonce = sourceNonce
    self.href = href
    self.target = target
  }
}

/// A request of a destination page that was redirected to the trigger path.
///
/// ```swift
/// let redirect = TriggeringEvent(
///   firstPartyURL: "https://shop.example/thanks", redirectFrom: "https://news.example/pixel",
///   redirectTo: "https://news.example/.well-known/private-click-measurement/trigger-attribution/12/03")
/// #expect(redirect == .pixel(of: "news.example", data: 12, priority: 3, on: "https://shop.example/thanks"))
/// ```
public struct TriggeringEvent: Hashable, Sendable {
  /// The URL of the page that made the request.
  public var firstPartyURL: String
  /// The requested URL, which responded with the redirect; nil when it is not known. Its site is not compared then with the site
  /// of the target.
  public var redirectFrom: String?
  /// The target of the redirect.
  public var redirectTo: String

  /// Creates a triggering event from any redirect, valid or not.
  public init(firstPartyURL: String, redirectFrom: String?, redirectTo: String) {
    self.firstPartyURL = firstPartyURL
    self.redirectFrom = redirectFrom
    self.redirectTo = redirectTo
  }

  /// Returns the common case: a pixel of the click's source that redirects to the trigger path on the same site.
  ///
  /// - Parameters:
  ///   - source: The source's host: `news.example`.
  ///   - data: The trigger data, 0 to 15.
  ///   - priority: The priority, 0 to 63; nil omits it.
  ///   - destinationNonce: `attributionDestinationNonce`, 16 bytes in base64url, for which the page's site signs a token;
  ///     nil omits it.
  ///   - firstPartyURL: The URL of the page that contains the pixel.
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
