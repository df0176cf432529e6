package import PCMCore
package import PCMURL

/// An action of a user, whose URLs are read. Users share the actions with the same input.
package final class SimulatedAction: Sendable {
  enum Kind: Sendable {
    case click(Prepared<ClickTransaction>)
    case trigger(Prepared<CheckedRedirect>)
    indirect case ignored(ObservedRedirect, IgnoredTrigger)
    case clear(Site?)
    indirect case settings(SettingsChange)
  }

  let kind: Kind
  /// Nil for an action that is neither a click nor a triggering event.
  package let touch: SimulatedTouch?
  /// The link of a click in Safari; nil for other actions.
  private let link: LinkClick?

  private init(_ kind: Kind, _ touch: SimulatedTouch? = nil, link: LinkClick? = nil) {
    (self.kind, self.touch, self.link) = (kind, touch, link)
  }

  private convenience init(click: some ClickCandidate, _ touch: SimulatedTouch?) {
    self.init(
      .click(
        Prepared { settings in
          ClickTransaction(
            click, settings, at: .earliest, RuleEvaluation(keepsInputs: SimulatedMeasurement.keepsInputs))
        }), touch, link: click as? LinkClick)
  }

  /// Returns the action of the same link with another identifier; nil for an action that is no link.
  package func link(withSourceID text: String) -> SimulatedAction? {
    guard let link else { return nil }
    var input = link.input
    input.attributionSourceID = text
    let click = LinkClick(input, page: link.page, destination: link.destination, href: link.href, landing: link.landing)
    return SimulatedAction(click: click, SimulatedTouch(click))
  }

  /// - Parameter endpoint: The report endpoint of the app.
  package convenience init(
    _ input: EventAttributionInput, endpoint: WebURL, sites: SiteParser
  ) throws(BrowserError) {
    let app = AppTap.App(
      bundleIdentifier: input.bundleIdentifier, endpoint: .valid(endpoint, written: endpoint.text), platform: .iPhoneOrIPad)
    let tap = try AppTapReading(input, sites: sites).tap(in: app)
    self.init(click: tap, .click(pair: SimulatedTouch.pair(endpoint.site, tap.destination.site), sourceID: tap.sourceID))
  }

  /// - Parameter input: A click without a time, which is the time of the action.
  package convenience init(_ input: LinkClickInput, sites: SiteParser) throws(BrowserError) {
    var input = input
    input.clickedAt = nil
    let click = try LinkClickReading(input, sites: sites).click(at: .earliest)
    self.init(click: click, SimulatedTouch(click))
  }

  package convenience init(_ input: TriggeringEventInput, sites: SiteParser) throws(BrowserError) {
    let redirect = try input.redirect(sites: sites)
    if let cause = input.reachedBy?.ignoring, IgnoredTrigger.isResembled(by: redirect.to.path) {
      self.init(
        .ignored(redirect, IgnoredTrigger(redirect.to.text, path: redirect.to.path, cause: cause)),
        .trigger(pair: SimulatedTouch.pair(redirect.to.site, redirect.firstPartySite)))
    } else {
      let reading = TriggerURL.Reading(redirect.to) { try? sites.url($0) }
      self.init(
        .trigger(
          Prepared { settings in
            redirect.checked(reading, settings, keepsInputs: SimulatedMeasurement.keepsInputs)
          }), SimulatedTouch(redirect, reading))
    }
  }

  /// - Parameter site: Nil to clear everything.
  package convenience init(clearing site: Site?) { self.init(.clear(site)) }

  package convenience init(_ change: SettingsChange) { self.init(.settings(change)) }

  /// The results of rules that read only the action and the settings. Most users have the usual settings.
  final class Prepared<Value: Sendable>: Sendable {
    private static var usualSettings: MeasurementSettings { MeasurementSettings() }

    private let usual: Value
    private let prepare: @Sendable (MeasurementSettings) -> Value

    init(_ prepare: @escaping @Sendable (MeasurementSettings) -> Value) {
      self.prepare = prepare
      usual = prepare(Self.usualSettings)
    }

    func callAsFunction<Result>(_ settings: MeasurementSettings, _ body: (Value) -> Result) -> Result {
      settings == Self.usualSettings ? body(usual) : body(prepare(settings))
    }
  }
}
