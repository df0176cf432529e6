import PCMCore
import PCMCrypto
import PCMDevice

/// The inputs of a device's decision that are not its rows.
struct DeviceContext: Sendable {
  let now: Instant
  let device: Device
  let networks: AdNetworkRegistry
  let draws: NamedDraws

  /// Returns the random values of a postback of a window. They depend on the seed, the conversion, the window, and the place only.
  ///
  /// - Parameter number: The number that stands for the conversion; nil for the conversion's.
  func postbackDraw(_ order: PostbackPlan, as number: Int64? = nil, place: Int) -> PostbackDraw {
    let name = "\(number ?? order.conversion)/\(order.index)/\(place)"
    return PostbackDraw(delay: draws.unit("postback-delay/\(name)"), identifier: draws.uuid("postback/\(name)"))
  }

  /// Returns the tag of a re-engagement.
  func conversionTag(_ conversion: Int64) -> String { draws.uuid("conversion-tag/\(conversion)") }
}
