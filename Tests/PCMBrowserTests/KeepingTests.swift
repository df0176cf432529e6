import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore
import Testing

/// Sections A and E of the conformance cases: replacement, expiry, apps, clearing.
@Suite struct KeepingTests {
  @Test("a click that is stored removes expired ones too")
  func storingExpires() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    try await scene.advance(.days(8))
    try await scene.click(5, to: "other.example")
    #expect(try await scene.measurements().unattributed.map(\.click.sourceID) == [5])
  }

  @Test("case 119: a durable browser keeps its data over a restart, including held clicks and chance")
  func restart() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    try await scene.click(3)
    try await scene.trigger("12/03")
    try await scene.click(4)
    try await scene.embeddedTap(5)
    let before = try await scene.measurements()
    let again = try await Scene(restarting: store)
    #expect(try await again.measurements() == before)
    let straight = try await Scene()
    try await straight.click(3)
    try await straight.trigger("12/03")
    try await straight.click(4)
    try await straight.embeddedTap(5)
    #expect(try await again.trigger("12/63") == straight.trigger("12/63"))
    #expect(try await again.browser.advance(.untilIdle()) == straight.browser.advance(.untilIdle()))
  }

  @Test("case 121: debug mode switched on and off leaves exactly one line for each in the log")
  func debugToggle() async throws {
    let scene = try await Scene()
    for isOn in [true, true, false, false] { try await scene.browser.change(SettingsChange(debugMode: isOn)) }
    let lines = try await scene.browser.events(after: 0, limit: 100).filter { $0.kind == .settingsChanged }
    #expect(lines.map { $0.detail.text.contains(#""debugMode":true"#) } == [true, false])
  }
}
