import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

/// Conversions by ads of SKAdNetwork 4.0 and AdAttributionKit: three windows.
@Suite struct ConversionWindowTests {
  private static let start = Sample.now
  private static let ends: [Interval] = [.days(2), .days(7), .days(35)]

  private func state(
    _ winner: KeptImpression = Sample.kept(1, nil), app: DeviceApp = Sample.advertisedApp, device: Device = Device()
  ) -> AppConversions {
    var state = AppConversions()
    _ = state.begin(Sample.conversion(winner, app: app, device: device), of: app, on: device)
    return state
  }

  private func update(
    _ state: inout AppConversions, _ fine: Int64? = nil, _ coarse: ConversionValue.Coarse? = nil, locks: Bool = false,
    after: Interval
  ) -> [ConversionAction] {
    let update = ConversionValueInput(.skadnetwork, fine: fine, coarse: coarse, locks: locks)
    return state.update(update, by: Sample.advertisedApp, on: Device(), at: Self.start + after).actions
  }

  private func schedule(_ index: Int, after: Interval, _ fine: Int64?, _ coarse: ConversionValue.Coarse?) -> ConversionAction {
    .schedule(
      PostbackPlan(
        conversion: 100, index: index, windowEnd: Self.start + after, values: ReportedValues(fine: fine, coarse: coarse)))
  }

  private func accept(
    _ index: Int, _ fine: Int64?, _ coarse: ConversionValue.Coarse?, ignored: Int64? = nil
  ) -> ConversionAction {
    let note = ignored.map { Violation.fineIgnored($0, index: index) }
    return .accept(conversion: 100, index: index, ReportedValues(fine: fine, coarse: coarse), note: note)
  }

  @Test("The windows end 2, 7, and 35 days after the first launch", arguments: [Sample.kept(1), Sample.kept(1, nil)])
  func ends(winner: KeptImpression) {
    var state = state(winner)
    #expect(state.launch(at: Self.start).isEmpty)
    for (index, end) in Self.ends.enumerated() {
      let last = update(&state, 9, .high, after: end - Sample.millisecond)
      #expect(last == [accept(index, index == 0 ? 9 : nil, .high, ignored: index == 0 ? nil : 9)])
      #expect(state.nextChange == Self.start + end)
      #expect(state.pass(to: Self.start + end - Sample.millisecond).isEmpty)
      #expect(state.pass(to: Self.start + end) == [schedule(index, after: end, index == 0 ? 9 : nil, .high)])
    }
    #expect(state.nextChange == nil)
    #expect(update(&state, 1, .low, after: .days(35)) == [.reject(conversion: 100, .conversionEnded)])
    state.removeAllFinished()
    #expect(update(&state, 1, .low, after: .days(36)).map(\.code) == ["nothing-pending"])
  }

  @Test("The windows count from the first launch and not from the install or the first update")
  func startAtLaunch() {
    var state = state()
    _ = state.launch(at: Self.start + .days(10))
    _ = update(&state, 1, after: .days(11))
    #expect(state.nextChange == Self.start + .days(12))
    _ = state.launch(at: Self.start + .days(11))
    #expect(state.nextChange == Self.start + .days(12), "only the first launch counts")
  }

  @Test("An update implies a launch")
  func updateWithoutLaunch() {
    var state = state()
    #expect(update(&state, 1, after: .days(3)) == [accept(0, 1, nil)])
    #expect(state.nextChange == Self.start + .days(5))
  }

  @Test("Values may go down, and the last update counts")
  func decrease() {
    var state = state()
    _ = update(&state, 63, .high, after: .hours(0))
    #expect(update(&state, 2, .low, after: .hours(1)) == [accept(0, 2, .low)])
    #expect(update(&state, 1, after: .hours(2)) == [accept(0, 1, .low)], "a missing coarse value stays")
    #expect(state.pass(to: Self.start + .days(2)) == [schedule(0, after: .days(2), 1, .low)])
  }

  @Test("A window without an update has no postback")
  func noUpdate() {
    var state = state()
    _ = state.launch(at: Self.start)
    #expect(state.pass(to: Self.start + .days(2)) == [.drop(conversion: 100, index: 0, .noUpdate)])
    _ = update(&state, 5, .medium, after: .days(3))
    #expect(
      state.pass(to: Self.start + .days(40)) == [
        schedule(1, after: .days(7), nil, .medium), .drop(conversion: 100, index: 2, .noUpdate),
      ])
  }

  @Test("A fine value alone counts only in the first window", arguments: [1, 2])
  func fineAlone(index: Int) {
    var state = state()
    _ = update(&state, 1, after: .hours(0))
    let moment = Self.ends[index - 1]
    #expect(update(&state, 2, after: moment).last == .reject(conversion: 100, .coarseMissing(index: index)))
    #expect(update(&state, 2, .low, after: moment) == [accept(index, nil, .low, ignored: 2)])
  }

  @Test(
    "A fine value alone locks a later window that has a value, for both frameworks", arguments: [SKAdNetworkVersion.v4, nil])
  func lockWithoutCoarse(version: SKAdNetworkVersion?) {
    var state = state(Sample.kept(1, version))
    _ = update(&state, 1, after: .hours(0))
    _ = state.pass(to: Self.start + .days(2))
    #expect(update(&state, 2, locks: true, after: .days(3)) == [.reject(conversion: 100, .coarseMissing(index: 1))])
    _ = update(&state, 2, .low, after: .days(4))
    #expect(
      update(&state, 3, locks: true, after: .days(5)) == [
        accept(1, nil, .low, ignored: 3), schedule(1, after: .days(5), nil, .low),
      ])
  }

  @Test("The windows begin with the first update, if the device is set so", arguments: [SKAdNetworkVersion.v4, nil])
  func startAtFirstUpdate(version: SKAdNetworkVersion?) {
    let device = Device(settings: DeviceSettings(conversionWindowStart: .firstUpdate))
    var state = state(Sample.kept(1, version), device: device)
    _ = state.launch(at: Self.start)
    #expect(state.nextChange == Self.start + .days(60) + Sample.millisecond)
    var late = state
    #expect(update(&state, 7, after: .days(40)) == [accept(0, 7, nil)])
    #expect(state.nextChange == Self.start + .days(42))
    #expect(state.pass(to: Self.start + .days(42)) == [schedule(0, after: .days(42), 7, nil)])
    #expect(update(&state, 8, .high, after: .days(75) - Sample.millisecond).last == accept(2, nil, .high, ignored: 8))
    let drops = (0...2).map { ConversionAction.drop(conversion: 100, index: $0, .neverUpdated) }
    let actions = update(&late, 7, after: .days(60) + Sample.millisecond)
    #expect(actions.dropLast() == drops[...] && actions.last?.code == "first-update-too-late")
  }

  @Test("By default, an update later than 35 days after the launch finds no window, and no rule about it passes")
  func updateAfterAllWindows() {
    var state = state()
    _ = state.launch(at: Self.start)
    _ = state.pass(to: Self.start + .days(40))
    let update = ConversionValueInput(.adattributionkit, fine: 7)
    let outcome = state.update(update, by: Sample.advertisedApp, on: Device(), at: Self.start + .days(40))
    #expect(outcome.actions == [.reject(conversion: 100, .windowsEndedUnused)])
    #expect(outcome.targets[100]?.failed?.change.contains("conversionWindowStart") == true)
    #expect(outcome.targets[100]?.failed?.rule == "conversion-is-open")
  }

  @Test("A lock ends the window at once, and the next one begins on its day", arguments: [0, 1, 2])
  func lock(index: Int) {
    var state = state()
    _ = state.launch(at: Self.start)
    let begin = index == 0 ? .hours(0) : Self.ends[index - 1]
    let moment = begin + .hours(5)
    _ = state.pass(to: Self.start + begin)
    let fine: Int64? = index == 0 ? 7 : nil
    #expect(
      update(&state, 7, .low, locks: true, after: moment) == [
        accept(index, fine, .low, ignored: index == 0 ? nil : 7), schedule(index, after: moment, fine, .low),
      ])
    let end = Self.ends[index]
    let locked = Violation.windowLocked(index: index, until: Self.start + end, hasNext: index < 2)
    #expect(update(&state, 8, .high, after: end - Sample.millisecond) == [.reject(conversion: 100, locked)])
    let next: ConversionAction =
      index == 2 ? .reject(conversion: 100, .conversionEnded) : accept(index + 1, nil, .high, ignored: 8)
    #expect(update(&state, 8, .high, after: end) == [next])
  }

  @Test("After a lock, the change names the next window, or that there is none")
  func changeAfterLock() throws {
    func change(_ state: inout AppConversions, after: Interval) throws -> String {
      guard case .reject(_, let rejection)? = update(&state, 1, .low, after: after).last else { throw NotRejected() }
      #expect(rejection.reason.code == "window-locked")
      return rejection.change
    }
    var state = state()
    _ = update(&state, 1, .low, locks: true, after: .hours(0))
    let end = (Self.start + .days(2)).text
    #expect(try change(&state, after: .hours(1)) == "report the value from \(end) on, or do not lock the window")
    _ = update(&state, 1, .low, locks: true, after: .days(8))
    #expect(try change(&state, after: .days(9)) == "report the value before you lock the window")

    var superseded = self.state()
    _ = update(&superseded, 1, .low, locks: true, after: .hours(0))
    let device = Device(developerModeSince: Self.start)
    let second = Sample.conversion(Sample.kept(2, .v4, isDevelopment: true), device: device, id: 101)
    _ = superseded.begin(second, of: Sample.advertisedApp, on: device)
    _ = update(&superseded, 1, .low, after: .minutes(1))
    let rejections = update(&superseded, 1, .low, after: .minutes(11)).compactMap { action -> String? in
      guard case .reject(100, let rejection) = action else { return nil }
      return rejection.change
    }
    #expect(rejections == ["report the value before you lock the window"])
  }

  private struct NotRejected: Error {}

  @Test("A conversion that was superseded before its start accepts no update")
  func supersededBeforeStart() {
    var state = state()
    _ = state.begin(Sample.conversion(Sample.kept(2, .v4), id: 101), of: Sample.advertisedApp, on: Device())
    _ = state.launch(at: Self.start)
    let actions = update(&state, 1, .low, after: .days(35))
    #expect(
      Array(actions.suffix(2)) == [.reject(conversion: 100, .conversionEnded), .reject(conversion: 101, .windowsEndedUnused)])
  }

  @Test("A registration in a later window lacks its coarse value")
  func laterRegistration() {
    var state = state(Sample.kept(1, .v4))
    _ = state.launch(at: Self.start)
    #expect(update(&state, after: .days(3)).last == .reject(conversion: 100, .coarseMissing(index: 1)))
  }

  @Test("A registration begins the first postback without a value")
  func registration() {
    var state = state(Sample.kept(1, .v4))
    #expect(update(&state, after: .hours(1)) == [accept(0, nil, nil)])
    #expect(update(&state, after: .hours(2)) == [.reject(conversion: 100, .alreadyRegistered)])
    #expect(state.pass(to: Self.start + .hours(49)) == [schedule(0, after: .hours(49), nil, nil)])
  }

  @Test("An app of an SDK before iOS 16.1 has one window for ads of SKAdNetwork")
  func oldSDK() {
    var app = Sample.advertisedApp
    app.sdk = OSVersion(16, 0)
    var state = state(Sample.kept(1), app: app)
    _ = update(&state, 1, .low, after: .hours(0))
    #expect(state.pass(to: Self.start + .days(2)) == [schedule(0, after: .days(2), 1, .low)])
    #expect(state.nextChange == nil)
  }

  @Test("The first launch counts for 60 days")
  func launchLimit() {
    var (inTime, late) = (state(), state())
    _ = inTime.launch(at: Self.start + .days(60))
    #expect(update(&inTime, 1, after: .days(60)) == [accept(0, 1, nil)])
    let drops = (0...2).map { ConversionAction.drop(conversion: 100, index: $0, .neverLaunched) }
    #expect(late.nextChange == Self.start + .days(60) + Sample.millisecond)
    #expect(late.launch(at: Self.start + .days(60) + Sample.millisecond) == drops)
    #expect(update(&late, 1, after: .days(61)).map(\.code) == ["launch-too-late"])
  }

  @Test("The first update counts for 60 days after the install; later updates follow the windows")
  func firstUpdateLimit() {
    var (inTime, late) = (state(), state())
    _ = inTime.launch(at: Self.start + .days(50))
    #expect(update(&inTime, 1, .low, after: .days(60)).last == accept(2, nil, .low, ignored: 1))
    #expect(update(&inTime, 1, .high, after: .days(85) - Sample.millisecond) == [accept(2, nil, .high, ignored: 1)])

    _ = late.launch(at: Self.start + .days(50))
    let actions = update(&late, 1, .low, after: .days(60) + Sample.millisecond)
    #expect(
      actions.dropLast() == [
        .drop(conversion: 100, index: 0, .noUpdate), .drop(conversion: 100, index: 1, .noUpdate),
        .drop(conversion: 100, index: 2, .neverUpdated),
      ])
    #expect(actions.last?.code == "first-update-too-late")
  }

  @Test("One step of time has the same actions as many", arguments: 1...60)
  func steps(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (coarse, fine) = (state(), state())
    var actions: (coarse: [ConversionAction], fine: [ConversionAction]) = ([], [])
    var moment = Interval.hours(0)
    for _ in 0..<6 {
      let next = moment + .hours(Int64(random.next() % 300))
      while moment < next {
        moment = moment + .hours(1)
        actions.fine += fine.pass(to: Self.start + moment)
      }
      let locks = random.next() % 3 == 0
      let value: ConversionValue.Coarse? = random.next() % 2 == 0 ? .low : nil
      if random.next() % 2 == 0 {
        actions.fine += fine.launch(at: Self.start + moment)
        actions.coarse += coarse.launch(at: Self.start + moment)
      } else {
        actions.fine += update(&fine, 1, value, locks: locks, after: moment)
        actions.coarse += update(&coarse, 1, value, locks: locks, after: moment)
      }
    }
    #expect(actions.coarse == actions.fine)
    #expect(coarse == fine)
  }
}
