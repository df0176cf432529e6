import Foundation
import UIKit

/// Stands in for the class of XCUITest: the app runs in the process of the test.
@MainActor final class XCUIApplication {
  var launchEnvironment: [String: String] = [:]
  let buttons = XCUIElementQuery()

  func launch() {
    for (name, value) in launchEnvironment { setenv(name, value, 1) }
  }
}

@MainActor struct XCUIElementQuery {
  subscript(name: String) -> XCUIElement { XCUIElement() }
}

@MainActor struct XCUIElement {
  func tap() {
    let screen = AdScreen()
    Task { await openAd(screen.ad, tapped: screen.button, in: UIScene()) }
  }
}

/// A window with an ad, which an event attribution view covers.
@MainActor struct AdScreen {
  let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 400, height: 800))
  let button = UIButton(frame: CGRect(x: 20, y: 30, width: 100, height: 40))
  let cover = UIEventAttributionView(frame: CGRect(x: 0, y: 0, width: 100, height: 40))
  let ad: UIEventAttribution

  init(destination: String = "https://shop.example/") {
    ad = UIEventAttribution(
      sourceIdentifier: 4, destinationURL: URL(string: destination) ?? URL(fileURLWithPath: destination),
      sourceDescription: "Banner ad for Tablet Stand Deluxe.", purchaser: "Shop Example, Inc.")
    let page = UIView(frame: CGRect(x: 0, y: 100, width: 400, height: 700))
    window.addSubview(page)
    page.addSubview(button)
    button.addSubview(cover)
  }
}
