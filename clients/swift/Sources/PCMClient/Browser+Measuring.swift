public import Foundation

extension Browser {
  /// Opens a URL with an event attribution from an app, as after a tap on an ad.
  ///
  /// - Parameters:
  ///   - attribution: The event attribution that the app passes to the system.
  ///   - app: The registered app.
  ///   - tapVerified: Whether the tap is on a control that a `UIEventAttributionView` covers.
  ///   - presentation: How the app opens the URL.
  ///   - openedURL: The opened URL. The default is the destination.
  ///   - landingURL: The URL of the page after redirects. The default is the opened URL.
  /// - Returns: Whether the browser keeps the click, with the reasons if it does not.
  @discardableResult
  public func open(
    _ attribution: EventAttribution, from app: App, tapVerified: Bool = true, presentation: Presentation = .openURL,
    openedURL: String? = nil, landingURL: String? = nil
  ) async throws -> ClickOutcome {
    let tap: Members = [
      "bundleIdentifier": app.bundleIdentifier, "tapVerified": tapVerified, "presentation": presentation,
      "openedURL": openedURL, "landingURL": landingURL,
    ]
    return try await connection.call("POST", "\(path)/event-attributions", tap + attribution.members)
  }

  /// Follows a link that has attribution attributes.
  ///
  /// - Parameters:
  ///   - link: The link.
  ///   - pageURL: The URL of the page that contains the link.
  ///   - landingURL: The URL of the page after redirects. The default is the link's destination attribute.
  ///   - landed: Whether the navigation commits a page. A failure or a download does not, and nothing is stored.
  ///   - clickedAt: The time of the user's action, at most a minute before the browser's time, which is the default.
  ///   - userGesture: Whether the user followed the link, as opposed to a script.
  ///   - inFrame: Whether the link is in an iframe of the page.
  ///   - app: The app whose web view shows the page; nil for the browser itself.
  ///   - observed: An observation of the page, for events and explanations.
  /// - Returns: Whether the browser keeps the click, with the reasons if it does not.
  @discardableResult
  public func follow(
    _ link: AttributionLink, on pageURL: String, landingURL: String? = nil, landed: Bool = true, clickedAt: Date? = nil,
    userGesture: Bool = true, inFrame: Bool = false, in app: App? = nil, observed: Provenance? = nil
  ) async throws -> ClickOutcome {
    let click: Members = [
      "pageURL": pageURL, "attributionSourceID": link.sourceIdentifier, "attributionDestination": link.destination,
      "attributionSourceNonce": link.sourceNonce, "href": link.href, "landingURL": landingURL, "landed": landed,
      "clickedAt": clickedAt?.wire, "userGesture": userGesture, "target": link.target, "inFrame": inFrame,
      "bundleIdentifier": app?.bundleIdentifier, "observed": observed,
    ]
    return try await connection.call("POST", "\(path)/link-clicks", click)
  }

  /// Handles a request of a destination page that was redirected to the trigger path.
  ///
  /// - Parameters:
  ///   - event: The page and the redirect.
  ///   - app: The app whose embedded Safari view shows the page; nil for the browser itself.
  ///   - observed: An observation of the page, for events and explanations.
  /// - Returns: Whether a click was attributed, with the reasons if none was.
  @discardableResult
  public func trigger(
    _ event: TriggeringEvent, in app: App? = nil, observed: Provenance? = nil
  ) async throws -> TriggerOutcome {
    let redirect: Members = ["from": event.redirectFrom, "to": event.redirectTo]
    let body: Members = [
      "firstPartyURL": event.firstPartyURL, "redirect": redirect,
      "bundleIdentifier": app?.bundleIdentifier, "observed": observed,
    ]
    return try await connection.call("POST", "\(path)/triggering-events", body)
  }

  /// Loads a URL over the network. The service sends the request, follows redirects, and handles triggering events among them.
  ///
  /// - Parameters:
  ///   - url: The URL to load, such as a tracking pixel.
  ///   - firstPartyURL: The URL of the page.
  ///   - kind: The kind of resource, which determines how an https page treats plain HTTP.
  ///   - method: The method of the first request.
  ///   - app: The app whose embedded Safari view shows the page; nil for the browser itself.
  @discardableResult
  public func load(
    _ url: String, on firstPartyURL: String, as kind: Load.Kind = .image, method: Load.Method = .get, in app: App? = nil
  ) async throws -> Load {
    let body: Members = [
      "firstPartyURL": firstPartyURL, "url": url, "kind": kind, "method": method, "bundleIdentifier": app?.bundleIdentifier,
    ]
    return try await connection.call("POST", "\(path)/loads", body)
  }
}
