import PCMCore
import PCMNetwork
import PCMSimulatedSites

extension MCPTool {
  /// The descriptions of the tools by their names, in the words of tools. The OpenAPI document describes the same calls in the words
  /// of HTTP.
  static let descriptions: [String: String] = [
    "create_browser":
      "Begin here: creates a browser and its device. With \"clock\": {\"mode\": \"manual\"}, only advance_clock moves the time.",
    "delete_browser": "Deletes a browser and its device with all data.",
    "set_network": "Chooses who responds to the browser: simulated sites, which accept everything, or the real network.",
    "advance_clock":
      "Moves a manual clock by exactly one of by, to, toNextEvent, and untilIdle, and performs all due work. If finished is false in "
      + "the result, continue to its target.",
    "register_app": "Registers an app, by the keys of its Info.plist or by its report endpoint alone.",
    "open_event_attribution":
      "A user taps an ad in an app, which opens a URL with a UIEventAttribution. The result says whether the "
      + "browser keeps the click, and why not.",
    "follow_link": "A user follows a link with attribution attributes, which are passed as the page has them.",
    "observe_triggering_event":
      "The conversion: the destination's page has a pixel, which is redirected to the trigger path. Pass pixelOf with triggerData, or "
      + "redirect.",
    "load": "A page loads a URL, such as a pixel. Redirects are followed, and those to the trigger path count.",
    "note_page_event": "Notes in the log what the observer of a real browser saw besides clicks and triggering events.",
    "list_reports": "Lists pending and sent reports, oldest first.",
    "check_expectation": "Says whether there is a report, or none, with these properties, and what differs.",
    "explain": "Says why a report was sent or not: the rules, the values that they read, and the smallest change.",
    "get_scenario":
      "Returns the history of a browser on a manual clock as a scenario file, which pcm-browser run plays as a regression test.",
    "register_ad_network": "Registers an ad network. For ads of sign_ad, its public key is \(TestAdNetwork.publicKey).",
    "sign_ad": "Signs an ad with the published test key. Pass the result to display_ad.",
    "display_ad":
      "An app displays an ad: of AdAttributionKit with jws, or of SKAdNetwork with its other values. The result says whether it "
      + "counts, and why not.",
    "end_view": "An app ends the view of an ad, which counts if it was long enough.",
    "tap_ad": "A user taps an ad of AdAttributionKit.",
    "install_app": "A user installs an app. The device compares the ads, and one wins.",
    "launch_app": "A user opens an installed app. The first launch starts the conversion windows.",
    "report_conversion_value": "An app reports a conversion value or, without a value, its first launch.",
    "list_postbacks": "Lists pending and sent postbacks, oldest first.",
    "create_development_postback": "Creates development postbacks in the settings, from iOS 18.4 on, without an ad.",
    "send_development_postbacks":
      "Sends the development postbacks whose windows ended, or that the app locked, with the next advance_clock.",
    "clear_development_postbacks": "Removes the development postbacks that were not sent.",
    "put_cards": "Replaces the content cards of an app.",
    "display_card": "An app displays a content card.",
    "click_card": "A user clicks a content card. If the card is an ad, the click is measured.",
    "dismiss_card": "A user dismisses a content card.",
    "request_tracking": "An app asks for permission to track. The result says whether the prompt is displayed, and why not.",
    "answer_tracking": "A user answers the prompt of an app.",
    "change_tracking": "A user changes the switch of an app with allow, or the setting of the device with system.",
    "record_sdk_event":
      "An app records an event with a measurement SDK, which sends it after the user's answer or the interval.",
  ]

  /// The descriptions of arguments that the OpenAPI document describes for all calls.
  static let argumentDescriptions = [
    "browser": "The name of the browser, which is the name of its device, too.",
    "bundleIdentifier": "The bundle identifier of the registered app.",
    "limit": "The maximum number of items.",
    "cursor": "The value of next in the result with the previous items.",
    "impression": "The identifier of the ad, such as impression-4.",
    "idString": "The ID of the card in the SDK.",
    "crowdTiers": "The tiers of the crowd, 0 to 3, by which Apple decides what postbacks contain; 3 when absent.",
  ]

  /// Members of bodies that are no arguments: the path has the name of a browser, and an agent observes no pages.
  static let omitted: Set<String> = ["name", "observed"]

  /// The keywords of a schema from which a model learns which values an argument can have.
  static let keywords: Set<String> = [
    "type", "description", "enum", "const", "default", "minimum", "maximum", "maxItems", "items", "properties", "required",
    "oneOf",
    "anyOf",
  ]
}

extension MCPResult {
  /// Returns an error that names tools in place of calls of the API: `call register_app` for `PUT its Info.plist to …/apps`.
  func naming(_ tools: [MCPTool]) -> MCPResult {
    guard isError else { return self }
    let call =
      #/
      \b(PUT|POST|GET|DELETE)\ (?:([^;,]{1,40})\ to\ )? (?:…|/v1/(?:browsers|devices)/[^/\s;]+) (?:/([a-z-]+)[^\s;,]*)?
      (?:,\ or\ [^;]{1,60}\ to\ …/[^\s;,]+,)?
      /#
    var result = self
    result.text = text.replacing(call) { match in
      let route = "\(match.1) \(match.3 ?? "browsers")"
      guard let tool = tools.first(where: { $0.route == route }) else { return String(match.0) }
      return (match.2 == nil ? "" : "call ") + tool.name
    }
    return result
  }
}
