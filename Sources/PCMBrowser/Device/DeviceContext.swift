import PCMCore
import PCMCrypto
import PCMDevice

/// What a decision of the device needs besides its rows.
struct DeviceContext: Sendable {
  let now: Instant
  let device: Device
  let networks: AdNetworkRegistry
  private let draws: NamedDraws

  init(now: Instant, device: Device, networks: AdNetworkRegistry, draws: NamedDraws) {
    self.now = now
    self.device = device
    self.networks = networks
    self.draws = draws
  }

  func moved(to instant: Instant) -> DeviceContext {
    DeviceContext(now: instant, device: device, networks: networks, draws: draws)
  }

  /// Returns the random values of the postbacks of a window. They depend on the seed, the conversion, and the window only.
  func postbackDraws(_ order: PostbackOrder) -> PostbackDraws {
    PostbackDraws { [draws] place in
      let name = "\(order.conversion)/\(order.index)/\(place)"
      return PostbackDraw(delay: draws.unit("postback-delay/\(name)"), identifier: draws.uuid("postback/\(name)"))
    }
  }

  /// Returns the tag of a re-engagement.
  func conversionTag(_ conversion: Int64) -> String { draws.uuid("conversion-tag/\(conversion)") }
}
