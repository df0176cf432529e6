import Foundation
import PCMClient
import SafariServices
import Testing
import UIKit

@testable import PCMAppBridge

/// The reports of an app to a service, with stand-ins for Apple's frameworks.
@MainActor @Suite(.serialized) struct AppReportTests {
  private let screen = AdScreen()

  /// The browser to which the process reports.
  private func browser(_ name: String) async throws -> Browser {
    setenv("PCM_BROWSER_NAME", name, 1)
    return try await PCM.browser(name, network: .simulated)
  }

  @Test("the options of a scene report their attribution, from the registered app")
  func scene() async throws {
    let browser = try await browser("scene")
    let options = UIScene.OpenExternalURLOptions()
    #expect(try await PCM.report(options, opening: screen.ad.destinationURL, tapped: screen.button) == nil)
    options.eventAttribution = screen.ad
    let click = try await PCM.report(options, opening: screen.ad.destinationURL, tapped: screen.button)
    #expect(click?.outcome == .stored, "\(String(describing: click))")
    #expect(click?.click?.sourceIdentifier == 4 && click?.click?.destinationSite == "shop.example")
    #expect(try await browser.apps().map(\.bundleIdentifier) == ["com.example.news"])
  }

  @Test("the options of the application report their attribution, and a tap outside the view is not verified")
  func application() async throws {
    _ = try await browser("application")
    let options: [UIApplication.OpenExternalURLOptionsKey: Any] = [.universalLinksOnly: false, .eventAttribution: screen.ad]
    let click = try await PCM.report(options, opening: screen.ad.destinationURL, tapped: screen.button)
    #expect(click?.outcome == .stored)
    screen.cover.isHidden = true
    let unverified = try await PCM.report(options, opening: screen.ad.destinationURL, tapped: screen.button)
    #expect(unverified?.reasons.map(\.code) == [.tapNotVerified])
  }

  @Test("the configuration of a Safari view controller reports its attribution as an ephemeral click")
  func safariViewController() async throws {
    _ = try await browser("safari")
    let configuration = SFSafariViewController.Configuration()
    configuration.eventAttribution = screen.ad
    let click = try await PCM.report(configuration, opening: screen.ad.destinationURL, tapped: screen.button)
    #expect(click?.outcome == .ephemeral, "\(String(describing: click))")
    let elsewhere = try #require(URL(string: "http://shop.example/"))
    let ignored = try await PCM.report(configuration, opening: elsewhere, tapped: screen.button)
    #expect(ignored?.reasons.map(\.code) == [.safariViewControllerHTTP])
  }

  @Test("an attribution alone is reported with its presentation")
  func attribution() async throws {
    _ = try await browser("attribution")
    let url = screen.ad.destinationURL
    #expect(try await PCM.report(screen.ad, opening: url, as: .openURL, tapped: screen.button)?.outcome == .stored)
  }

  @Test("without the URL of a service, nothing is reported")
  func noService() {
    #expect(AppReport(environment: [:]) == nil)
    #expect(AppReport(environment: ["PCM_BROWSER_URL": ""]) == nil)
    #expect(AppReport(environment: ["PCM_BROWSER_URL": "http://127.0.0.1:1"]) != nil)
  }

  @Test("a view is covered where a visible event attribution view lies above it")
  func covering() {
    #expect(screen.button.isCovered(at: nil))
    #expect(screen.button.isCovered(at: CGPoint(x: 99, y: 39)))
    #expect(!screen.button.isCovered(at: CGPoint(x: 101, y: 0)))
    #expect(!UIButton(frame: .zero).isCovered(at: nil), "a view without a window")
    screen.cover.alpha = 0
    #expect(!screen.button.isCovered(at: nil))
    screen.window.addSubview(UIEventAttributionView(frame: screen.window.bounds))
    #expect(screen.button.isCovered(at: nil), "one view above all controls")
    let late = UIButton(frame: screen.window.bounds)
    screen.window.addSubview(late)
    #expect(!late.isCovered(at: nil), "a view below the control")
  }
}
