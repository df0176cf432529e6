import PCMCore
import PCMDevice

/// The part of an action that last-click and last-ad attribution read: whether it is a click or a triggering event, of which pair of
/// sites, or an action of the device, with which app.
package enum SimulatedTouch: Hashable, Sendable {
  /// - Parameters:
  ///   - pair: A hash of the source and the destination; nil if one of them has no site.
  ///   - sourceID: Nil unless it is from 0 to 255.
  case click(pair: UInt64?, sourceID: UInt8?)
  case trigger(pair: UInt64?)
  case device(Device)

  /// An action of the device.
  package enum Device: Hashable, Sendable {
    /// - Parameter item: The identifier of the advertised app in the App Store; nil for a JSON Web Signature that does not count.
    case impression(item: Int64?)
    /// - Parameter item: The identifier of the app in the App Store; nil if it has none.
    case install(item: Int64?)
    case other(SimulatedLoss.Subject)

    /// How losses name the action.
    package var subject: SimulatedLoss.Subject {
      switch self {
      case .impression: .impression
      case .install: .install
      case .other(let subject): subject
      }
    }
  }

  init(_ link: LinkClick) {
    self = .click(pair: Self.pair(link.page?.site, link.destination?.site), sourceID: link.sourceID)
  }

  /// Creates the value of a redirect, which may name the source of its click.
  init(_ redirect: ObservedRedirect, _ reading: TriggerURL.Reading) {
    var evaluation = RuleEvaluation(keepsInputs: false)
    let named = (try? TriggerURL.parse(reading, &evaluation).get())?.attributionSource
    self = .trigger(pair: Self.pair(named ?? redirect.to.site, redirect.firstPartySite))
  }

  /// Returns a hash of two sites; nil if one of them is no site.
  static func pair(_ source: Site?, _ destination: Site?) -> UInt64? {
    guard let source, let destination else { return nil }
    return FNV1a.mixedHash("\(source.domain) \(destination.domain)".utf8)
  }
}

extension SimulatedTouch.Device {
  init(_ call: DeviceCall) {
    switch call {
    case .display(let ad): self = .impression(item: ad.item)
    case .install(let app, _): self = .install(item: app.itemIdentifier)
    case .endView, .tap, .launch, .report: self = .other(call.subject)
    }
  }
}
