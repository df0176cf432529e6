import Foundation
import PCMAppBridge
import PCMClient
import UIKit

/// The values that the examples of the app bridge use.
///
/// `Tests/Documentation/examples.py` adds the examples.
// examples: @MainActor
@MainActor struct Examples {
  let scene: UIScene
  let adView: UIView
  let ad: UIEventAttribution
}
