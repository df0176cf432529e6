package import PCMCore
import PCMDevice
import PCMSimulatedSites

// The actions of a user's device. Input that is wrong for every user throws. Input that is wrong because of the earlier actions of a
// user is a loss.

extension SimulatedAction {
  /// - Parameter input: The ad as the app displays it, with the ad network's signature.
  package init(_ input: ImpressionInput, in world: SimulatedWorld) throws(BrowserError) {
    let presentation = try input.checkedPresentation()
    self.init(.display(PreparedAd(input, as: presentation, in: try world.app(input.bundleIdentifier), world)))
  }

  /// - Parameter input: The values of an ad that the test ad network signs.
  package init(_ input: SignedAdInput, in world: SimulatedWorld) throws(BrowserError) {
    let app = try world.app(input.bundleIdentifier)
    // No postback has the nonce or the time of an ad.
    let signed = try input.signed(
      in: app, nonce: "00000000-0000-4000-8000-000000000000", at: Instant(milliseconds: 1_795_168_800_000))
    let ad: ImpressionInput
    do throws(BodyError) {
      ad = try ImpressionInput(json: Array(signed.text.utf8))
    } catch .invalid(let errors) {
      throw .invalidInput(errors)
    } catch {
      throw .invalidInput([InputError([], "the ad is not JSON", .malformed)])
    }
    try self.init(ad, in: world)
  }

  /// The end of the view of the user's latest ad.
  package init(_ input: ImpressionEndInput) { self.init(.endView) }

  /// The tap on the user's latest ad.
  package init(_ input: ImpressionTapInput, in world: SimulatedWorld) throws(BrowserError) {
    try input.check(InputChecker(sites: world.sites))
    self.init(.tap(input))
  }

  package init(_ input: InstallInput, in world: SimulatedWorld) throws(BrowserError) {
    try input.check(InputChecker(sites: world.sites))
    self.init(.install(try world.app(input.bundleIdentifier), input))
  }

  package init(_ input: LaunchInput, in world: SimulatedWorld) throws(BrowserError) {
    self.init(.launch(try world.app(input.bundleIdentifier).bundleIdentifier))
  }

  package init(_ input: ConversionValueInput, in world: SimulatedWorld) throws(BrowserError) {
    try input.check()
    _ = try world.app(input.bundleIdentifier)
    self.init(.report(input))
  }
}
