// The declarations of SafariServices that PCMAppBridge and its tests use, as in Apple's documentation. They exist only on Linux, for
// tests.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
public import UIKit

@MainActor open class SFSafariViewController {
  open class Configuration {
    @available(iOS 15.2, *) open var eventAttribution: UIEventAttribution?

    public init() {}
  }

  public init(url: URL, configuration: Configuration) {}
}
