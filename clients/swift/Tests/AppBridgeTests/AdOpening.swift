// The app of the documentation's page about an app.

import PCMAppBridge
import PCMClient
import UIKit

@MainActor func openAd(_ ad: UIEventAttribution, tapped view: UIView, in scene: UIScene) async {
  let options = UIScene.OpenExternalURLOptions()
  options.eventAttribution = ad
  #if DEBUG
    do {
      let click = try await PCM.report(options, opening: ad.destinationURL, tapped: view)
      print(click?.description ?? "no PCM_BROWSER_URL")
    } catch {
      print(error)
    }
  #endif
  scene.open(ad.destinationURL, options: options, completionHandler: nil)
}
