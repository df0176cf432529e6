import PCMCore
import PCMNetwork
import PCMURL

/// Reads the URLs of an input and collects what is wrong with it, so that one answer names all faults.
struct InputChecker {
  let world: World
  var problems: [InputError] = []

  init(world: World) {
    self.world = world
  }

  /// - Parameter sitelessAllowed: Whether the URL may be that of a document without a site, such as `about:blank`.
  mutating func url(
    _ text: String, _ path: [String], httpOnly: Bool = true, hostNeeded: Bool = true, sitelessAllowed: Bool = false
  ) -> WebURL? {
    do throws(URLParsingError) {
      let url = try world.sites.url(text)
      if sitelessAllowed, FirstParty.lacksSite(url) { return url }
      if hostNeeded, url.host.isEmpty {
        problems.append(InputError(path, "the URL has no host; write it in full, as in https://shop.example/"))
        return nil
      }
      if httpOnly, !url.isHTTPFamily {
        problems.append(InputError(path, "the URL's scheme is \(url.scheme); use an http or https URL"))
        return nil
      }
      return url
    } catch {
      problems.append(InputError(path, error.detail))
      return nil
    }
  }

  mutating func url(_ text: String?, _ path: [String]) -> WebURL? {
    guard let text else { return nil }
    return url(text, path)
  }

  /// Checks a host, optionally with a port. Returns whether it is valid.
  mutating func host(_ text: String, _ path: [String]) -> Bool {
    guard !text.utf8.contains(UInt8(ascii: "@")) else {
      problems.append(InputError(path, "a text with an @ is not a host; give one such as news.example"))
      return false
    }
    let url = world.url("https://\(text)/")
    guard let url, url.path == "/", url.query == nil, !url.hasFragment, !url.host.isEmpty else {
      problems.append(InputError(path, "\"\(text)\" is not a host; give one such as news.example"))
      return false
    }
    return true
  }

  mutating func bundleIdentifier(_ text: String?, _ path: [String]) {
    guard let text else { return }
    let limit = BundleIdentifier.maximumLength
    guard !(1...limit).contains(text.utf8.count) || !BundleIdentifier.hasAllowedCharacters(text) else { return }
    problems.append(
      InputError(
        path,
        "a bundle identifier has 1 to \(limit) ASCII letters, digits, hyphens, periods, and underscores, such as com.example.news"
      ))
  }

  func finish() throws(BrowserError) {
    guard problems.isEmpty else { throw .invalidInput(problems) }
  }

  /// For a value that is nil only when a problem was noted.
  func required<Value>(_ value: Value?) throws(BrowserError) -> Value {
    guard let value else { throw .invalidInput(problems) }
    return value
  }
}

/// A tap whose values and URLs are read, before its app is known.
struct AppTapReading: Sendable {
  private let input: EventAttributionInput
  private let sourceID: UInt8?
  private let presentation: AppTap.Presentation?
  private let destination: WebURL?
  private let opened: WebURL?
  private let landing: WebURL?
  private let problems: [InputError]

  init(_ input: EventAttributionInput, world: World) {
    self.input = input
    var checker = InputChecker(world: world)
    sourceID = UInt8(exactly: input.sourceIdentifier)
    if sourceID == nil {
      checker.problems.append(
        InputError(
          ["sourceIdentifier"], "\(input.sourceIdentifier) is out of range; sourceIdentifier is an integer from 0 to 255",
          .outOfRange))
    }
    presentation = AppTap.Presentation(rawValue: input.presentation)
    if presentation == nil {
      checker.problems.append(InputError(["presentation"], "use \"openURL\" or \"safariViewController\""))
    }
    destination = checker.url(input.destinationURL, ["destinationURL"])
    opened = checker.url(input.openedURL, ["openedURL"]) ?? destination
    landing = checker.url(input.landingURL, ["landingURL"]) ?? opened
    problems = checker.problems
  }

  /// - Parameter app: The registered app; nil when there is none.
  func tap(in app: AppTap.App?) throws(BrowserError) -> AppTap {
    guard problems.isEmpty, let app, let sourceID, let presentation, let destination, let opened, let landing else {
      throw .invalidInput((app == nil ? [unknownApp] : []) + problems)
    }
    return AppTap(
      input, app: app, sourceID: sourceID, destination: destination, presentation: presentation, opened: opened,
      landing: landing)
  }

  private var unknownApp: InputError {
    InputError(
      ["bundleIdentifier"],
      "no app \"\(input.bundleIdentifier)\" is registered; PUT its Info.plist to …/apps, or {\"reportEndpoint\": "
        + "\"https://…\"} to …/apps/\(PercentEncoding.component.encode(input.bundleIdentifier)), first", code: "app-unknown")
  }
}

/// A click on a link whose URLs are read, before its time is known.
struct LinkClickReading: Sendable {
  private let input: LinkClickInput
  private let page: WebURL?
  private let landing: WebURL?
  private let href: WebURL?
  private let destination: WebURL?
  private let problems: [InputError]

  init(_ input: LinkClickInput, world: World) {
    self.input = input
    var checker = InputChecker(world: world)
    // A document without a URL is something a browser meets, and no error.
    page = input.pageURL.isEmpty ? nil : checker.url(input.pageURL, ["pageURL"], httpOnly: false, hostNeeded: false)
    landing = checker.url(input.landingURL, ["landingURL"])
    // Links to the App Store may have a scheme such as `itms-apps`.
    href = input.href.flatMap { checker.url($0, ["href"], httpOnly: false) }
    checker.bundleIdentifier(input.bundleIdentifier, ["bundleIdentifier"])
    destination = input.attributionDestination.flatMap(world.url)
    problems = checker.problems
  }

  /// - Parameter now: The browser's time.
  func click(at now: Instant) throws(BrowserError) -> LinkClick {
    let problems = [wrongTime(at: now)].compactMap { $0 } + problems
    guard problems.isEmpty else { throw .invalidInput(problems) }
    return LinkClick(input, page: page, destination: destination, href: href, landing: landing)
  }

  private func wrongTime(at now: Instant) -> InputError? {
    guard let clickedAt = input.clickedAt, !(now - LinkClickInput.maximumAge...now).contains(clickedAt) else { return nil }
    return InputError(
      ["clickedAt"],
      "\(clickedAt.text) is not within the minute before the browser's time, \(now.text); omit clickedAt for a click at that time",
      .outOfRange)
  }
}

/// A checked redirect: the URLs that the trigger rules look at.
struct ObservedRedirect: Sendable {
  let firstParty: WebURL
  /// Nil when it is not known.
  let from: WebURL?
  let to: WebURL
  let bundleIdentifier: String
  let observed: Provenance?

  /// The site of the page; nil for a page without one.
  var firstPartySite: Site? { FirstParty.lacksSite(firstParty) ? nil : firstParty.site }
}

extension TriggeringEventInput {
  func redirect(world: World) throws(BrowserError) -> ObservedRedirect {
    var checker = InputChecker(world: world)
    // A page without a site is something a browser meets, and no error.
    let firstParty = checker.url(firstPartyURL, ["firstPartyURL"], sitelessAllowed: true)
    if let pixelOf, !checker.host(pixelOf, ["pixelOf"]) {
      // Its URLs would have the same error.
      checker.bundleIdentifier(bundleIdentifier, ["bundleIdentifier"])
      try checker.finish()
    }
    let redirect = observedRedirect
    let from = checker.url(redirect.from, ["redirect", "from"])
    // The trigger rules check the scheme.
    let to = checker.url(redirect.to, ["redirect", "to"], httpOnly: false, hostNeeded: false)
    checker.bundleIdentifier(bundleIdentifier, ["bundleIdentifier"])
    try checker.finish()
    return ObservedRedirect(
      firstParty: try checker.required(firstParty), from: from, to: try checker.required(to),
      bundleIdentifier: bundleIdentifier ?? BundleIdentifier.safari, observed: observed)
  }
}

extension LoadInput {
  /// The load before its first request.
  func load(world: World) throws(BrowserError) -> PageLoad {
    var checker = InputChecker(world: world)
    let page = checker.url(firstPartyURL, ["firstPartyURL"])
    let url = checker.url(url, ["url"])
    let kind = LoadKind(rawValue: kind)
    if kind == nil {
      checker.problems.append(
        InputError(["kind"], "use \(LoadKind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))"))
    }
    let method = [OutgoingRequest.Method.get, .post].first { $0.rawValue == self.method }
    if method == nil { checker.problems.append(InputError(["method"], "use \"GET\" or \"POST\"")) }
    checker.bundleIdentifier(bundleIdentifier, ["bundleIdentifier"])
    try checker.finish()
    return PageLoad(
      url: try checker.required(url), method: try checker.required(method), kind: try checker.required(kind),
      page: try checker.required(page))
  }
}
