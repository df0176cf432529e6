import PCMCore
import Testing

/// Section J of the conformance cases and the app-side rules of iOS.
@Suite struct AppTapTests {
  private func tap(
    endpoint: String? = "https://ads.news.example/x", platform: AppBuild.Platform = .iPhoneOrIPad,
    destination: String = "https://shop.example/p",
    description: String? = nil, verified: Bool = true, presentation: AppTap.Presentation = .openURL, opened: String? = nil,
    landing: String? = nil
  ) throws -> AppTap {
    let opened = try url(opened ?? destination)
    return AppTap(
      EventAttributionInput(
        bundleIdentifier: "com.example.news", sourceIdentifier: 42, destinationURL: destination, sourceDescription: description,
        purchaser: "Shop Example, Inc.", tapVerified: verified),
      app: AppTap.App(
        bundleIdentifier: "com.example.news", endpoint: try endpoint.map { .valid(try url($0), written: $0) } ?? .missing,
        platform: platform),
      sourceID: 42, destination: try url(destination), presentation: presentation, opened: opened,
      landing: try landing.map(url) ?? opened)
  }

  private func code(_ tap: AppTap, _ settings: MeasurementSettings = MeasurementSettings()) -> String? {
    guard case .discard(let reason) = tap.decide(settings) else { return nil }
    return reason.reason.code
  }

  @Test("Cases 114, 115, and 118: A tapped ad becomes a Safari click between registrable domains")
  func aTapBecomesAClick() throws {
    let decision = try tap(
      endpoint: "https://site.pcmsource.example/", destination: "https://site.pcmdestination.example/"
    ).decide(MeasurementSettings())
    let key = ClickKey(
      source: Site("pcmsource.example"), destination: Site("pcmdestination.example"), bundleIdentifier: "com.apple.mobilesafari"
    )
    let click = Click(
      key: key, sourceID: 42, clickedAt: .clicked, reportEndpoint: "https://site.pcmsource.example/")
    #expect(decision == .store(click, []))
  }

  @Test("Cases 116 and 117: A click in SFSafariViewController is ephemeral and belongs to the app")
  func aTapInSafariViewControllerIsEphemeral() throws {
    guard case .storeEphemeral(let click, _) = try tap(presentation: .safariViewController).decide(MeasurementSettings()) else {
      Issue.record("not ephemeral")
      return
    }
    #expect(click.key.bundleIdentifier == "com.example.news")
  }

  @Test func everyClickInAPrivateSessionIsEphemeral() throws {
    guard case .storeEphemeral(let click, _) = try tap().decide(MeasurementSettings(privateBrowsing: true)) else {
      Issue.record("not ephemeral")
      return
    }
    #expect(click.key.bundleIdentifier == "com.apple.mobilesafari")
  }

  @Test("A click on visionOS is stored, with a note that Safari's behavior there is not established")
  func vision() throws {
    guard case .store(_, let notes) = try tap(platform: .visionOS).decide(MeasurementSettings()) else {
      Issue.record("not stored")
      return
    }
    #expect(notes.map(\.code) == ["visionos"])
  }

  @Test func aTapThatViolatesARuleIsDiscarded() throws {
    #expect(code(try tap(verified: false)) == "tap-not-verified")
    #expect(code(try tap(endpoint: nil)) == "no-report-endpoint")
    #expect(code(try tap(platform: .macCatalyst)) == "mac-catalyst")
    #expect(code(try tap(), MeasurementSettings(measurementEnabled: false)) == "measurement-disabled")
    #expect(code(try tap(opened: "https://x.example/")) == "destination-not-opened")
    #expect(code(try tap(landing: "https://x.example/")) == "landing-site-mismatch")
    let embedded = try tap(destination: "http://shop.example/", presentation: .safariViewController)
    #expect(code(embedded) == "safari-view-controller-http")
  }

  @Test func anInvalidEndpointDiscardsTheTap() throws {
    let good = try tap()
    let app = AppTap.App(bundleIdentifier: "a", endpoint: .invalid(why: "it is http"), platform: .iPhoneOrIPad)
    let bad = AppTap(
      good.input, app: app, sourceID: 1, destination: good.destination, presentation: .openURL, opened: good.opened,
      landing: good.landing)
    #expect(code(bad) == "report-endpoint-invalid")
  }

  @Test("Case 18: Redirects between the opened URL and the landing page have no effect")
  func redirectsBeforeTheLandingPageHaveNoEffect() throws {
    #expect(code(try tap(opened: "https://x.example/", landing: "https://www.shop.example/")) == nil)
  }

  @Test("Section 2.4: An app can measure its own site and http pages")
  func ownSiteAndHTTP() throws {
    #expect(code(try tap(destination: "http://news.example/")) == nil)
  }

  @Test(arguments: [(100, [String]()), (101, ["text-truncated"])])
  func aLongTextAddsANote(_ length: Int, _ expected: [String]) throws {
    guard
      case .store(_, let notes) = try tap(description: String(repeating: "\u{E9}", count: length)).decide(MeasurementSettings())
    else {
      Issue.record("not stored")
      return
    }
    #expect(notes.map(\.code) == expected)
  }
}
