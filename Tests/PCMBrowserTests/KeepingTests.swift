import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore
import Testing

/// Sections A and E of the conformance cases: replacement, expiry, apps, clearing.
@Suite struct KeepingTests {
  @Test("case 72: an expired click is not converted, and both tables are empty")
  func expired() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    try await scene.advance(.days(7) + .hours(1))
    #expect(try await scene.measurements().unattributed.count == 1, "it goes at the next click or trigger, not before")
    #expect(try await scene.trigger("12").reasons.map(\.code) == ["click-expired"])
    #expect(try await scene.measurements().isEmpty)
    #expect(try await scene.kinds().contains(.clickExpired))
  }

  @Test("a click that is stored removes expired ones too")
  func storingExpires() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    try await scene.advance(.days(8))
    try await scene.click(5, to: "other.example")
    #expect(try await scene.measurements().unattributed.map(\.click.sourceID) == [5])
  }

  @Test("case 124: with measurement off nothing is stored, matched or sent; switched on again, sending goes on")
  func measurementOff() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    try await scene.trigger("12")
    try await scene.browser.change(SettingsChange(measurementEnabled: false))
    #expect(try await scene.click(4).reasons.map(\.code) == ["measurement-disabled"])
    #expect(try await scene.trigger("12").reasons.map(\.code) == ["measurement-disabled"])
    try await scene.advance(.days(3))
    #expect(await scene.sent().isEmpty)
    try await scene.browser.change(SettingsChange(measurementEnabled: true))
    try await scene.advance(.hours(1))
    #expect(await scene.sent().count == 2)
  }

  @Test("an unknown app is refused by name")
  func unknownApp() async throws {
    let scene = try await Scene()
    let input = EventAttributionInput(
      bundleIdentifier: "com.example.unknown", sourceIdentifier: 300, destinationURL: "shop.example")
    await #expect {
      try await scene.browser.perform(input)
    } throws: { error in
      guard case .invalidInput(let problems) = error as? BrowserError else { return false }
      return problems.map(\.path) == [["bundleIdentifier"], ["sourceIdentifier"], ["destinationURL"]]
        && problems[0].code == "app-unknown"
    }
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

  @Test("case 16: the window in which the destination opens does not matter, nor who loads the pixel (cases 23 and 36)")
  func windowsAndFrames() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    let outcome = try await scene.browser.perform(
      TriggeringEventInput(
        firstPartyURL: "https://deep.shop.example:8443/frame", redirectFrom: "https://px.news.example/p",
        redirectTo: "https://news.example\(TriggerURL.pathPrefix)12/03"))
    #expect(outcome.kind == .attributed)
  }
}
