/// The examples that a browser's page plays, step by step. A step sends a form of the page with its first values, or moves the
/// clock.
enum ExampleView {
  private enum Step {
    /// The identifier of the form.
    case form(String, String)
    /// The duration of the move.
    case move(String, String)

    var markup: Markup {
      switch self {
      case .form(let form, let text): "<li data-form=\"\(form)\"><p>\(text)</p><div data-outcome></div></li>"
      case .move(let duration, let text): "<li data-move=\"\(duration)\"><p>\(text)</p><div data-outcome></div></li>"
      }
    }
  }

  static let markup: Markup = """
    <div class="heading"><h2>Example</h2>
    <button type="button" class="main" data-play="story-click">Play the example</button>
    <button type="button" data-play="story-install">Play an install</button></div>
    <p class="soft">The page makes the calls of a story, one after the other, and moves the clock. The forms of \
    <a href="#view=try">Try it</a> make the same calls.</p>
    <p class="problem" id="story-problem" role="alert"></p>
    <button type="button" id="simulate" hidden>Use simulated sites and play</button>
    \(list("story-click", click))
    \(list("story-install", install))
    """

  private static func list(_ id: String, _ steps: [Step]) -> Markup {
    "<ol class=\"story\" id=\"\(id)\" hidden>\n\(steps.map(\.markup))\n</ol>"
  }

  private static let click: [Step] = [
    .form("try-app", "An app registers its Info.plist. The report endpoint, news.example, is the source of its clicks."),
    .form("try-tap", "A user taps an ad for shop.example. The browser keeps the click for seven days."),
    .move("PT3H", "Three hours pass."),
    .form("try-trigger", "The user buys, and shop.example loads a pixel of news.example, which is the triggering event."),
    .move(
      "P3D", "Three days pass. After 24 to 48 hours, one report is sent to the source and one to the destination."),
  ]

  private static let install: [Step] = [
    .form("try-ad-network", "An ad network registers its key and the URL for its postbacks."),
    .form("try-source-app", "An app lists the ad network in its Info.plist."),
    .form("try-advertised-app", "Another app is advertised."),
    .form("try-ad", "The first app displays an ad that the network signed, and the device records a click."),
    .move("PT1H", "An hour passes."),
    .form("try-install", "The user installs the advertised app. The device compares the ads, and one wins."),
    .form("try-launch", "The user opens the app. Its first conversion window begins and lasts two days."),
    .form("try-value", "The app reports a conversion value."),
    .move(
      "P7D",
      "Seven days pass. 24 to 48 hours after the window, a postback is sent to the ad network and a copy to the developer."),
  ]
}
