package import PCMCore
package import PCMCrypto
import PCMDevice

/// A postback that left. All postbacks are delivered at their first attempt.
package struct SimulatedPostback: Sendable {
  package let at: Instant
  /// The bundle identifier of the advertised app.
  package let bundleIdentifier: String
  /// The line of the last call whose value counts in the window; nil for a postback without a value.
  package let update: Int64?
  private let planned: PlannedPostback
  /// The settings of the signatures; nil for a postback without one.
  private let signed: DeviceSettings?

  init(_ planned: PlannedPostback, at: Instant, bundleIdentifier: String, update: Int64?, signed: DeviceSettings?) {
    (self.planned, self.at, self.bundleIdentifier, self.update, self.signed) = (planned, at, bundleIdentifier, update, signed)
  }

  package var framework: AdFramework { planned.kept.impression.framework }
  package var adNetworkIdentifier: String { planned.kept.impression.adNetworkIdentifier }
  package var recipient: Postback.Recipient { planned.recipient }
  package var url: String { planned.url }
  /// The number of its conversion window: 0 to 2.
  package var sequenceIndex: Int { planned.order.index }
  package var didWin: Bool { planned.didWin }
  /// The value that the body has.
  package var value: ConversionValue? { planned.value }
  /// The line of the ad: of its display, or of the tap on it.
  package var impression: Int64 { SimulatedNumber.line(of: planned.kept.id) }
  /// The line of the install or of the tap that began the conversion.
  package var conversion: Int64 { SimulatedNumber.line(of: planned.conversion.id) }

  /// The body as it is sent, if the world signs postbacks. Otherwise, a body without its signature, and for AdAttributionKit, the members
  /// of the decoded payload and then the members outside of it.
  package var body: JSON {
    if let signed, let body = try? planned.body(signed) { return .verbatim(String(decoding: body, as: UTF8.self)) }
    return switch planned.content {
    case .skAdNetwork(let postback): postback.unsignedBody
    case .adAttributionKit(let postback): postback.unsignedBody
    }
  }
}
