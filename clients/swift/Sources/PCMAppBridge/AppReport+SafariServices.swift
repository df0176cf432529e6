#if canImport(UIKit) && canImport(SafariServices) && !os(tvOS) && !os(watchOS)
  public import Foundation
  public import PCMClient
  public import SafariServices
  public import UIKit

  extension PCM {
    /// Reports the tap on an ad whose URL an `SFSafariViewController` displays.
    ///
    /// - Parameters:
    ///   - configuration: The configuration with the event attribution.
    ///   - url: The URL that the controller loads.
    ///   - view: The view that the user tapped.
    ///   - point: The location of the tap in the view; nil for its center.
    /// - Returns: The same as for an event attribution.
    @available(iOS 15.2, *) @MainActor @discardableResult
    public static func report(
      _ configuration: SFSafariViewController.Configuration, opening url: URL, tapped view: UIView, at point: CGPoint? = nil
    ) async throws -> ClickOutcome? {
      try await report(
        configuration.eventAttribution, opening: url, as: .safariViewController, tapped: view, at: point)
    }
  }
#endif
