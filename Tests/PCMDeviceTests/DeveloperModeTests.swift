import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

@Suite struct DeveloperModeTests {
  private static let device = Device(developerModeSince: Sample.now - .days(1))

  private func state(_ version: SKAdNetworkVersion? = nil, isDevelopment: Bool = true, device: Device = device)
    -> AppConversions
  {
    var state = AppConversions()
    let winner = Sample.kept(1, version, isDevelopment: isDevelopment)
    _ = state.begin(Sample.conversion(winner, device: device), of: Sample.advertisedApp, on: device)
    return state
  }

  private func update(_ state: inout AppConversions, after: Interval) -> [ConversionAction] {
    let update = ConversionValueInput(.skadnetwork, fine: 1, coarse: .low)
    return state.update(update, by: Sample.advertisedApp, on: Self.device, at: Sample.now + after).actions
  }

  @Test(
    "Test ads have three windows of three minutes, from the first update on", arguments: [.v4, nil] as [SKAdNetworkVersion?])
  func windows(version: SKAdNetworkVersion?) {
    var state = state(version)
    _ = state.launch(at: Sample.now)
    #expect(state.pass(to: Sample.now + .minutes(30)).isEmpty, "the launch starts no window")
    _ = update(&state, after: .minutes(30))
    for minutes in [33, 36, 39] as [Int64] {
      #expect(state.nextChange == Sample.now + .minutes(minutes))
      #expect(state.pass(to: Sample.now + .minutes(minutes) - Sample.millisecond).isEmpty)
      #expect(state.pass(to: Sample.now + .minutes(minutes)).count == 1)
      _ = update(&state, after: .minutes(minutes))
    }
    #expect(state.nextChange == nil)
  }

  @Test("Version 3.0 has a timer of three minutes")
  func timer() {
    var state = state(.v3)
    _ = update(&state, after: .minutes(1))
    #expect(state.nextChange == Sample.now + .minutes(4))
  }

  @Test("Other ads, and test ads without developer mode, keep the times of production")
  func production() {
    for (isDevelopment, device) in [(false, Self.device), (true, Device())] {
      var state = state(isDevelopment: isDevelopment, device: device)
      _ = update(&state, after: .minutes(0))
      #expect(state.nextChange == Sample.now + .days(2))
    }
  }
}
