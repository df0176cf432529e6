import BrowserSupport
import PCMCore
import PCMDevice
import PCMSignatures
import PCMStore
import Testing

@testable import PCMBrowser

/// A device on the real clock while the machine's clock is set forward and back.
@Suite struct DeviceClockTests {
  private static let later = Scene.start + .days(1_000)

  @Test("conversion windows follow a clock that is set back, and values count in the first window before")
  func windows() async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let device = try await DeviceScene(store: store, wallClock: machine.wallClock)
    machine.set(Self.later)
    try await device.converted()
    machine.set(Scene.start + .hours(1))
    let outcome = try await device.report(fine: 43)
    #expect(outcome.kind == .accepted)
    let again = try await Self.restarted(store, machine)
    let app = try #require(try await again.installedApps(after: "", limit: 1).first)
    #expect([app.installedAt, app.launchedAt] == [Scene.start + .hours(1), Scene.start + .hours(1)])
    #expect(app.conversions.nextChange == Scene.start + .hours(1) + .days(2))
    let unchanged = try await Self.restarted(store, machine).installedApps(after: "", limit: 1)
    #expect(unchanged == [app], "a second start corrects nothing again")
  }

  @Test("a timer follows a clock that is set back")
  func timer() async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let device = try await DeviceScene(store: store, wallClock: machine.wallClock)
    machine.set(Self.later)
    try await device.converted(device.ad(.v3))
    machine.set(Scene.start)
    let app = try await Self.restarted(store, machine).installedApps(after: "", limit: 1).first
    #expect(app?.conversions.nextChange == Scene.start + .hours(24))
  }

  @Test("a postback follows a clock that is set back")
  func postback() async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let device = try await DeviceScene(store: store, wallClock: machine.wallClock)
    machine.set(Self.later)
    try await device.converted()
    machine.set(Self.later + .days(2))
    try await device.browser.step(at: Self.later + .days(2))
    let before = try await device.postbacks().map(\.message.dueAt)
    #expect(before.count == 2)
    machine.set(Scene.start)
    let again = try await Self.restarted(store, machine)
    let page = try await again.postbackPage(in: [], limit: 10)
    #expect(page.items.map(\.message.dueAt) == before.map { $0 - .days(1_002) })
  }

  private static func restarted(_ store: any Store, _ machine: SetClock) async throws -> Browser {
    let realTime = RealTime(wallClock: machine.wallClock, sleep: Scene.endlessSleep)
    return try await SetClockTests.browsers(store, machine, realTime).browser(Browsers.defaultName)
  }
}
