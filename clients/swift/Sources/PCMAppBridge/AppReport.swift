#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
  public import Foundation
  public import PCMClient
  public import UIKit

  extension PCM {
    /// Reports the tap on an ad to the service at `PCM_BROWSER_URL`, as the app is about to hand its event attribution to the system.
    ///
    /// The click is one of the browser that `PCM_BROWSER_NAME` names, or of `default`. When this app is not registered there, its
    /// Info.plist is registered first.
    ///
    /// ```swift
    /// let options = UIScene.OpenExternalURLOptions()
    /// options.eventAttribution = ad
    /// try await PCM.report(options, opening: ad.destinationURL, tapped: adView)
    /// scene.open(ad.destinationURL, options: options, completionHandler: nil)
    /// ```
    ///
    /// - Parameters:
    ///   - attribution: The event attribution; nil when the app hands over none.
    ///   - url: The URL that the app opens.
    ///   - presentation: How the app opens it.
    ///   - view: The view that the user tapped.
    ///   - point: The location of the tap in the view; nil for its center.
    /// - Returns: Whether the browser keeps the click, with the reasons if it does not; nil without `PCM_BROWSER_URL`, and without
    ///   an event attribution.
    @MainActor @discardableResult
    public static func report(
      _ attribution: UIEventAttribution?, opening url: URL, as presentation: Presentation = .openURL, tapped view: UIView,
      at point: CGPoint? = nil
    ) async throws -> ClickOutcome? {
      let report = AppReport(environment: ProcessInfo.processInfo.environment)
      return try await report?.send(attribution, url, presentation, tapVerified: view.isCovered(at: point))
    }

    /// Reports the tap on an ad whose URL a scene opens: `scene.open(url, options: options)`.
    ///
    /// - Parameters:
    ///   - options: The options with the event attribution.
    ///   - url: The URL that the scene opens.
    ///   - view: The view that the user tapped.
    ///   - point: The location of the tap in the view; nil for its center.
    /// - Returns: The same as for an event attribution.
    @MainActor @discardableResult
    public static func report(
      _ options: UIScene.OpenExternalURLOptions, opening url: URL, tapped view: UIView, at point: CGPoint? = nil
    ) async throws -> ClickOutcome? {
      try await report(options.eventAttribution, opening: url, tapped: view, at: point)
    }

    /// Reports the tap on an ad whose URL the application opens: `UIApplication.shared.open(url, options: options)`.
    ///
    /// - Parameters:
    ///   - options: The options, with the event attribution for the key `eventAttribution`.
    ///   - url: The URL that the application opens.
    ///   - view: The view that the user tapped.
    ///   - point: The location of the tap in the view; nil for its center.
    /// - Returns: The same as for an event attribution.
    @MainActor @discardableResult
    public static func report(
      _ options: [UIApplication.OpenExternalURLOptionsKey: Any], opening url: URL, tapped view: UIView, at point: CGPoint? = nil
    ) async throws -> ClickOutcome? {
      try await report(options[.eventAttribution] as? UIEventAttribution, opening: url, tapped: view, at: point)
    }
  }

  extension UIView {
    /// Whether a visible `UIEventAttributionView` lies above the view at a location.
    ///
    /// - Parameter point: The location in the view; nil for its center.
    func isCovered(at point: CGPoint?) -> Bool {
      guard let window else { return false }
      let location = convert(point ?? CGPoint(x: bounds.midX, y: bounds.midY), to: window)
      // From back to front.
      let views = window.visibleDescendants
      guard let position = views.firstIndex(where: { $0 === self }) else { return false }
      return views[position...].contains {
        $0 is UIEventAttributionView && $0.bounds.contains($0.convert(location, from: window))
      }
    }

    /// The visible views in the view, each before its subviews.
    private var visibleDescendants: [UIView] {
      subviews.filter { !$0.isHidden && $0.alpha > 0 }.flatMap { [$0] + $0.visibleDescendants }
    }
  }

  /// The calls about one tap.
  struct AppReport {
    private let service: PCMService
    private let browser: String

    /// Nil when the environment names no service.
    init?(environment: [String: String]) {
      guard !environment["PCM_BROWSER_URL", default: ""].isEmpty else { return nil }
      service = PCMService(environment: environment)
      browser = environment["PCM_BROWSER_NAME"] ?? "default"
    }

    @MainActor func send(
      _ attribution: UIEventAttribution?, _ url: URL, _ presentation: Presentation, tapVerified: Bool
    ) async throws -> ClickOutcome? {
      guard let attribution else { return nil }
      let ad = EventAttribution(
        sourceIdentifier: attribution.sourceIdentifier, destinationURL: attribution.destinationURL,
        sourceDescription: attribution.sourceDescription, purchaser: attribution.purchaser)
      let browser = try await service.browser(browser)
      let app = try await app(in: browser)
      return try await browser.open(
        ad, from: app, tapVerified: tapVerified, presentation: presentation, openedURL: url.absoluteString)
    }

    /// The registration of this app.
    private func app(in browser: Browser) async throws -> App {
      if let bundle = Bundle.main.bundleIdentifier,
        let app = try await browser.apps().first(where: { $0.bundleIdentifier == bundle })
      {
        return app
      }
      let infoPlist = Bundle.main.url(forResource: "Info", withExtension: "plist")
      return try await browser.register(infoPlistAt: infoPlist?.path ?? "Info.plist")
    }
  }
#endif
