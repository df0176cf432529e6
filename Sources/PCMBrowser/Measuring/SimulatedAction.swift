package import PCMCore
package import PCMURL

/// An action of a user, whose URLs are read. Users share the actions with the same input.
package final class SimulatedAction: Sendable {
  enum Kind: Sendable {
    case tap(AppTap)
    case link(LinkClick)
    case trigger(ObservedRedirect, TriggerURL.Reading)
    case ignored(ObservedRedirect, IgnoredTrigger)
    case clear(Site?)
    case settings(SettingsChange)
  }

  let kind: Kind
  /// Nil for an action that is neither a click nor a triggering event.
  package let touch: SimulatedTouch?

  private init(_ kind: Kind) { (self.kind, touch) = (kind, SimulatedTouch(kind)) }

  /// - Parameter endpoint: The report endpoint of the app.
  package convenience init(
    _ input: EventAttributionInput, endpoint: WebURL, sites: SiteParser
  ) throws(BrowserError) {
    let app = AppTap.App(
      bundleIdentifier: input.bundleIdentifier, endpoint: .valid(endpoint, written: endpoint.text), platform: .iPhoneOrIPad)
    self.init(.tap(try AppTapReading(input, sites: sites).tap(in: app)))
  }

  /// - Parameter input: A click without a time, which is the time of the action.
  package convenience init(_ input: LinkClickInput, sites: SiteParser) throws(BrowserError) {
    var input = input
    input.clickedAt = nil
    self.init(.link(try LinkClickReading(input, sites: sites).click(at: .earliest)))
  }

  package convenience init(_ input: TriggeringEventInput, sites: SiteParser) throws(BrowserError) {
    let redirect = try input.redirect(sites: sites)
    if let cause = input.reachedBy?.ignoring, IgnoredTrigger.isResembled(by: redirect.to.path) {
      self.init(.ignored(redirect, IgnoredTrigger(redirect.to.text, path: redirect.to.path, cause: cause)))
    } else {
      self.init(.trigger(redirect, TriggerURL.Reading(redirect.to) { try? sites.url($0) }))
    }
  }

  /// - Parameter site: Nil to clear everything.
  package convenience init(clearing site: Site?) { self.init(.clear(site)) }

  package convenience init(_ change: SettingsChange) { self.init(.settings(change)) }
}
