package import PCMCore
package import PCMURL

/// An action of a user, whose URLs are read, and whose rules without a state are decided. Users share the actions with the same input.
package struct SimulatedAction: Sendable {
  enum Kind: Sendable {
    case click(Prepared<ClickTransaction>)
    case trigger(Prepared<CheckedRedirect>)
    indirect case ignored(ObservedRedirect, IgnoredTrigger)
    case clear(Site?)
    indirect case settings(SettingsChange)
    case device(DeviceCall)
  }

  private final class Reading: Sendable {
    let kind: Kind
    let touch: SimulatedTouch?

    init(_ kind: Kind, _ touch: SimulatedTouch?) { (self.kind, self.touch) = (kind, touch) }
  }

  /// The numbers of an action that was read with other numbers.
  enum Numbers: Sendable {
    case link(sourceID: UInt8)
    case trigger(Trigger)
    case ad(sourceIdentifier: Int)
  }

  private let reading: Reading
  private let numbers: Numbers?

  var kind: Kind { reading.kind }

  /// Nil for an action that only changes the browser.
  package var touch: SimulatedTouch? {
    guard let sourceID, case .click(let pair, _)? = reading.touch else { return reading.touch }
    return .click(pair: pair, sourceID: sourceID)
  }

  /// Nil for the identifier that was read.
  var sourceID: UInt8? {
    guard case .link(let sourceID)? = numbers else { return nil }
    return sourceID
  }

  /// Nil for the data and the priority that were read.
  var trigger: Trigger? {
    guard case .trigger(let trigger)? = numbers else { return nil }
    return trigger
  }

  /// Nil for the source identifier that was read.
  var sourceIdentifier: Int? {
    guard case .ad(let identifier)? = numbers else { return nil }
    return identifier
  }

  private init(_ reading: Reading, _ numbers: Numbers?) { (self.reading, self.numbers) = (reading, numbers) }

  init(_ call: DeviceCall) { self.init(.device(call), .device(SimulatedTouch.Device(call))) }

  private init(_ kind: Kind, _ touch: SimulatedTouch? = nil) { self.init(Reading(kind, touch), nil) }

  private init(click: some ClickCandidate, _ touch: SimulatedTouch?) {
    self.init(
      .click(
        Prepared { settings in
          ClickTransaction(
            click, settings, at: .earliest, RuleEvaluation(keepsInputs: SimulatedMeasurement.keepsInputs))
        }), touch)
  }

  /// Returns the action of a link with another identifier. The rules decide about each identifier from 0 to 255 alike.
  package func link(withSourceID sourceID: UInt8) -> SimulatedAction { SimulatedAction(reading, .link(sourceID: sourceID)) }

  /// Returns the action of a triggering event with other data and another priority, both in their range. The rules that read no state
  /// decide about all of them alike.
  package func triggeringEvent(with trigger: Trigger) -> SimulatedAction { SimulatedAction(reading, .trigger(trigger)) }

  /// Returns the ad with another source identifier, in its range, for an ad that the test ad network signs; nil if it needs another
  /// reading. The rules of SKAdNetwork decide about each identifier from 0 to 9999 alike. The signed text of an ad of AdAttributionKit
  /// remains with it for taps.
  package func ad(withSourceIdentifier identifier: Int) -> SimulatedAction? {
    guard case .device(.display(let ad)) = kind, !ad.hasSignedText else { return nil }
    return SimulatedAction(reading, .ad(sourceIdentifier: identifier))
  }

  /// - Parameter endpoint: The report endpoint of the app.
  package init(
    _ input: EventAttributionInput, endpoint: WebURL, sites: SiteParser
  ) throws(BrowserError) {
    let app = AppTap.App(
      bundleIdentifier: input.bundleIdentifier, endpoint: .valid(endpoint, written: endpoint.text), platform: .iPhoneOrIPad)
    let tap = try AppTapReading(input, sites: sites).tap(in: app)
    self.init(click: tap, .click(pair: SimulatedTouch.pair(endpoint.site, tap.destination.site), sourceID: tap.sourceID))
  }

  /// - Parameter input: A click without a time, which is the time of the action.
  package init(_ input: LinkClickInput, sites: SiteParser) throws(BrowserError) {
    var input = input
    input.clickedAt = nil
    let click = try LinkClickReading(input, sites: sites).click(at: .earliest)
    self.init(click: click, SimulatedTouch(click))
  }

  package init(_ input: TriggeringEventInput, sites: SiteParser) throws(BrowserError) {
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
  package init(clearing site: Site?) { self.init(.clear(site)) }

  package init(_ change: SettingsChange) { self.init(.settings(change)) }

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
