import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

/// Conversions by ads of SKAdNetwork 1.0 to 3.0: one timer that each greater value starts again.
@Suite struct RollingTimerTests {
  private func state(_ version: SKAdNetworkVersion? = .v3, device: Device = Device()) -> AppConversions {
    var state = AppConversions()
    _ = state.begin(
      Sample.conversion(Sample.kept(1, version), device: device), of: Sample.advertisedApp, on: device)
    return state
  }

  private func update(
    _ state: inout AppConversions, _ fine: Int64?, _ coarse: ConversionValue.Coarse? = nil, locks: Bool = false,
    after: Interval,
    system: OSVersion = OSVersion(18, 6)
  ) -> [ConversionAction] {
    let update = ConversionValueInput(.skadnetwork, fine: fine, coarse: coarse, locks: locks)
    return state.update(update, by: Sample.advertisedApp, on: Device(system: system), at: Sample.now + after).actions
  }

  private func accept(_ fine: Int64?) -> [ConversionAction] {
    [.accept(conversion: 100, index: 0, ReportedValues(fine: fine), note: nil)]
  }

  private func schedule(_ fine: Int64?, after: Interval) -> [ConversionAction] {
    [.schedule(PostbackPlan(conversion: 100, index: 0, windowEnd: Sample.now + after, values: ReportedValues(fine: fine)))]
  }

  @Test("Each greater value starts the 24 hours again", arguments: [SKAdNetworkVersion.v2, .v21, .v22, .v3])
  func rolling(version: SKAdNetworkVersion) {
    var state = state(version)
    #expect(update(&state, 3, after: .hours(0)) == accept(3))
    #expect(update(&state, 4, after: .hours(24) - Sample.millisecond) == accept(4))
    #expect(state.nextChange == Sample.now + .hours(48) - Sample.millisecond)
    #expect(state.pass(to: Sample.now + .hours(48) - Sample.millisecond) == schedule(4, after: .hours(48) - Sample.millisecond))
    #expect(state.nextChange == nil)
  }

  @Test("At the end of the timer, the value is final")
  func end() {
    var state = state()
    _ = update(&state, 3, after: .hours(0))
    #expect(
      update(&state, 4, after: .hours(24)) == schedule(3, after: .hours(24)) + [.reject(conversion: 100, .conversionEnded)])
  }

  @Test("Equal and smaller values change nothing", arguments: [3, 2, 0] as [Int64])
  func notGreater(value: Int64) {
    var state = state()
    _ = update(&state, 3, after: .hours(0))
    #expect(update(&state, value, after: .hours(1)) == [.reject(conversion: 100, .valueNotGreater(value, kept: 3))])
    #expect(state.nextChange == Sample.now + .hours(24))
  }

  @Test("The first value may be 0, and the greatest is 63")
  func bounds() {
    var state = state()
    #expect(update(&state, 0, after: .hours(0)) == accept(0))
    #expect(update(&state, 64, after: .hours(1)).map(\.code) == ["conversion-value-out-of-range"])
    #expect(update(&state, -1, after: .hours(1)).map(\.code) == ["conversion-value-out-of-range"])
    #expect(update(&state, 63, after: .hours(1)) == accept(63))
    #expect(state.nextChange == Sample.now + .hours(25))
  }

  @Test("A registration starts the timer without a value; later ones change nothing")
  func registration() {
    var state = state()
    #expect(update(&state, nil, after: .hours(1)) == accept(nil))
    #expect(update(&state, nil, after: .hours(2)) == [.reject(conversion: 100, .alreadyRegistered)])
    #expect(state.pass(to: Sample.now + .hours(25)) == schedule(nil, after: .hours(25)))
  }

  @Test("Up to iOS 15.4, a registration sets the value to 0, and the timer goes on", arguments: [4, 5] as [Int64])
  func reset(minor: Int64) {
    let system = OSVersion(15, minor)
    var state = state(.v3, device: Device(system: system))
    _ = update(&state, 5, after: .hours(0), system: system)
    let expected = minor == 4 ? accept(0) : [.reject(conversion: 100, .alreadyRegistered)]
    #expect(update(&state, nil, after: .hours(1), system: system) == expected)
    #expect(state.nextChange == Sample.now + .hours(24))
  }

  @Test("A coarse value and a lock are ignored before version 4.0")
  func coarseAndLock() {
    var state = state()
    #expect(update(&state, 1, .high, locks: true, after: .hours(0)) == accept(1))
    #expect(state.nextChange == Sample.now + .hours(24))
  }

  @Test("Without a call within 60 days, there is no postback")
  func lapse() {
    var state = state()
    _ = state.launch(at: Sample.now)
    #expect(state.pass(to: Sample.now + .days(60)).isEmpty)
    #expect(state.pass(to: Sample.now + .days(60) + Sample.millisecond) == [.drop(conversion: 100, index: 0, .neverUpdated)])
  }

  @Test(
    "With the testing profile, the timer is 5 minutes long, and version 4.0 has no windows",
    arguments: [.v3, .v4, nil] as [SKAdNetworkVersion?])
  func testingProfile(version: SKAdNetworkVersion?) {
    let device = Device(system: OSVersion(17, 4), testingProfileSince: Sample.now - .days(1))
    var state = state(version, device: device)
    _ = update(&state, 5, after: .minutes(0))
    let second = update(&state, 4, .low, after: .minutes(4))
    if version == .v3 {
      #expect(second == [.reject(conversion: 100, .valueNotGreater(4, kept: 5))])
    } else {
      #expect(second == [.accept(conversion: 100, index: 0, ReportedValues(fine: 4, coarse: .low), note: nil)])
    }
    let end = Sample.now + .minutes(version == .v3 ? 5 : 9)
    #expect(state.nextChange == end)
    #expect(state.pass(to: end).count == 1)
    #expect(state.nextChange == nil)
  }

  @Test("With the testing profile, a lock of version 4.0 ends the timer")
  func lockWithProfile() {
    let device = Device(system: OSVersion(17, 4), testingProfileSince: Sample.now)
    var state = state(.v4, device: device)
    #expect(update(&state, 5, locks: true, after: .minutes(1)) == accept(5) + schedule(5, after: .minutes(1)))
  }
}
