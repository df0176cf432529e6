package import PCMCore
package import PCMURL

/// An action of a user, whose URLs are read. Users share the actions with the same input.
package final class SimulatedAction: Sendable {
  enum Kind: Sendable {
    case click(Prepared<ClickTransaction>)
    case trigger(Prepared<CheckedRedirect>)
    case ignored(ObservedRedirect, IgnoredTrigger)
    case clear(Site?)
    case settings(SettingsChange)
  }

  let kind: Kind

  private init(_ kind: Kind) { self.kind = kind }

  private convenience init(click: some ClickCandidate) {
    self.init(
      .click(
        Prepared { settings in
          ClickTransaction(
            click, settings, at: .earliest, RuleEvaluation(keepsInputs: SimulatedMeasurement.keepsInputs))
        }))
  }

  /// - Parameter endpoint: The report endpoint of the app.
  package convenience init(
    _ input: EventAttributionInput, endpoint: WebURL, sites: SiteParser
  ) throws(BrowserError) {
    let app = AppTap.App(
      bundleIdentifier: input.bundleIdentifier, endpoint: .valid(endpoint, written: endpoint.text), platform: .iPhoneOrIPad)
    self.init(click: try AppTapReading(input, sites: sites).tap(in: app))
  }

  /// - Parameter input: A click without a time, which is the time of the action.
  package convenience init(_ input: LinkClickInput, sites: SiteParser) throws(BrowserError) {
    var input = input
    input.clickedAt = nil
    self.init(click: try LinkClickReading(input, sites: sites).click(at: .earliest))
  }

  package convenience init(_ input: TriggeringEventInput, sites: SiteParser) throws(BrowserError) {
    let redirect = try input.redirect(sites: sites)
    if let cause = input.reachedBy?.ignoring, IgnoredTrigger.isResembled(by: redirect.to.path) {
      self.init(.ignored(redirect, IgnoredTrigger(redirect.to.text, path: redirect.to.path, cause: cause)))
    } else {
      let reading = TriggerURL.Reading(redirect.to) { try? sites.url($0) }
      self.init(
        .trigger(
          Prepared { settings in
            redirect.checked(reading, settings, keepsInputs: SimulatedMeasurement.keepsInputs)
          }))
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

    func value(_ settings: MeasurementSettings) -> Value { settings == Self.usualSettings ? usual : prepare(settings) }
  }
}
