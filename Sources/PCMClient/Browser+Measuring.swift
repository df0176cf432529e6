import PCMCore

extension Browser {
  /// An app opens a URL with an event attribution, after the user has tapped an ad.
  ///
  /// - Parameters:
  ///   - attribution: What the app hands the system.
  ///   - app: The app, as registered.
  ///   - tapVerified: Whether the tap landed on a control that a `UIEventAttributionView` covers.
  ///   - presentation: How the app opens the URL.
  ///   - openedURL: What is opened; by default the destination.
  ///   - landingURL: Where the page ends up after redirects; by default what is opened.
  /// - Returns: Whether the browser keeps the click, and why not.
  @discardableResult
  public func open(
    _ attribution: EventAttribution, from app: App, tapVerified: Bool = true, presentation: Presentation = .openURL,
    openedURL: String? = nil, landingURL: String? = nil
  ) async throws -> ClickOutcome {
    let request = EventAttributionInput(
      app: app.bundleIdentifier, sourceIdentifier: Int(attribution.sourceIdentifier),
      destinationURL: attribution.destinationURL,
      sourceDescription: attribution.sourceDescription, purchaser: attribution.purchaser,
      sourceNonce: attribution.sourceNonce, tapVerified: tapVerified, presentation: presentation.rawValue, openedURL: openedURL,
      landingURL: landingURL)
    return try await connection.call("POST", "\(path)/event-attributions", request)
  }

  /// A user follows a link that bears attribution attributes.
  ///
  /// - Parameters:
  ///   - link: The link.
  ///   - pageURL: The page on which it stands.
  ///   - landingURL: Where the page ends up after redirects; by default what the link's destination attribute says.
  ///   - userGesture: Whether the user did it, and not a script.
  ///   - app: The app in whose web view the page is; nil for the browser itself.
  /// - Returns: Whether the browser keeps the click, and why not.
  @discardableResult
  public func follow(
    _ link: AttributionLink, on pageURL: String, landingURL: String? = nil, userGesture: Bool = true, in app: App? = nil
  ) async throws -> ClickOutcome {
    let request = LinkClickInput(
      pageURL: pageURL, attributionSourceID: link.sourceID, attributionDestination: link.destination,
      attributionSourceNonce: link.sourceNonce, href: link.href, landingURL: landingURL, userGesture: userGesture,
      app: app?.bundleIdentifier)
    return try await connection.call("POST", "\(path)/link-clicks", request)
  }

  /// A page of the destination made a request that was redirected to the trigger path.
  ///
  /// - Parameters:
  ///   - event: The page and the redirect.
  ///   - app: The app in whose embedded Safari view the page is; nil for the browser itself.
  /// - Returns: Whether a click was attributed, and why not.
  @discardableResult
  public func trigger(_ event: TriggeringEvent, in app: App? = nil) async throws -> TriggerOutcome {
    let request = TriggeringEventInput(
      firstPartyURL: event.firstPartyURL, redirectFrom: event.redirectFrom, redirectTo: event.redirectTo,
      app: app?.bundleIdentifier)
    return try await connection.call("POST", "\(path)/triggering-events", request)
  }

  /// A page loads something for real: the service fetches it, follows its redirects and handles those that are
  /// triggering events.
  ///
  /// - Parameters:
  ///   - url: What the page loads, a pixel for instance.
  ///   - firstPartyURL: The page.
  ///   - kind: What it is to the page, which decides about plain HTTP on an https page.
  ///   - method: How it is asked for first.
  ///   - app: The app in whose embedded Safari view the page is; nil for the browser itself.
  @discardableResult
  public func load(
    _ url: String, on firstPartyURL: String, as kind: Load.Kind = .image, method: Load.Method = .get, in app: App? = nil
  ) async throws -> Load {
    let request = LoadInput(
      firstPartyURL: firstPartyURL, url: url, kind: kind.rawValue, method: method.rawValue, app: app?.bundleIdentifier)
    return try await connection.call("POST", "\(path)/loads", request)
  }
}
