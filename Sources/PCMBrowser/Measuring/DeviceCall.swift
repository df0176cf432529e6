import PCMCore
import PCMDevice

/// A call of an app, or an action of a user, whose input is read.
indirect enum DeviceCall: Sendable {
  case display(PreparedAd)
  /// The end of the view of the latest ad.
  case endView
  /// The tap on the latest ad.
  case tap(ImpressionTapInput)
  case install(DeviceApp, InstallInput)
  case launch(String)
  case report(ConversionValueInput)

  var subject: SimulatedLoss.Subject {
    switch self {
    case .display: .impression
    case .endView: .impressionEnd
    case .tap: .impressionTap
    case .install: .install
    case .launch: .launch
    case .report: .conversionValue
    }
  }
}

/// The decision about an ad that an app displays. It depends on the time only by the mode for developers, so that a signature is
/// verified once for all users.
final class PreparedAd: Sendable {
  /// The identifier of the advertised app in the App Store; nil for a JSON Web Signature that does not count.
  let item: Int64?
  private let usual: JudgedAd
  private let inDeveloperMode: JudgedAd?

  init(_ input: ImpressionInput, as presentation: ImpressionPresentation, in app: DeviceApp, _ world: SimulatedWorld) {
    let judge = { (device: Device) in
      JudgedAd(
        input, as: presentation, in: app, keepsInputs: SimulatedDevice.keepsInputs,
        DeviceContext(now: .earliest, device: device, networks: world.networks, draws: RandomStreams(seed: "").named))
    }
    var device = world.device
    // The mode is on at the time of the decision.
    inDeveloperMode = device.developerModeSince == nil ? nil : judge(device)
    device.developerModeSince = nil
    usual = judge(device)
    item = input.advertisedAppStoreItemIdentifier ?? usual.decision.item
  }

  /// Whether the ad is a JSON Web Signature, which the device keeps for taps.
  var hasSignedText: Bool { usual.reading != nil }

  /// - Parameter sourceIdentifier: Nil for the identifier that the ad network signed.
  func judged(_ device: Device, sourceIdentifier: Int?, at now: Instant) -> JudgedAd {
    var judged = device.isInDeveloperMode(at: now) ? inDeveloperMode ?? usual : usual
    judged.move(to: now, sourceIdentifier: sourceIdentifier)
    return judged
  }
}

extension ImpressionDecision {
  /// The identifier of the advertised app; nil for an ad that is rejected.
  fileprivate var item: Int64? {
    switch self {
    case .record(let ad, _), .open(let ad, _): ad.advertisedAppStoreItemIdentifier
    case .reject: nil
    }
  }
}
