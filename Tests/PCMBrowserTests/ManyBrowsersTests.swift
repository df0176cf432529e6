import BrowserSupport
import PCMBrowser
import PCMCore
import PCMNetwork
import PCMStore
import PCMURL
import Testing

/// Two hundred worlds in one process.
@Suite struct ManyBrowsersTests {
  private static let count = 200

  @Test func browsersAtDifferentDatesSeeOnlyTheirOwn() async throws {
    let transport = ScriptedTransport()
    let browsers = try await self.browsers(transport: transport)
    var dates: [String: Instant] = [:]
    for number in 0..<Self.count {
      let date = Scene.start + .days(Int64(number) * 37 % 3_000)
      let (browser, _) = try await browsers.put(
        "b\(number)", BrowserSpecification(storage: .ephemeral, seed: "s\(number)", clockMode: .manual, start: date))
      dates["b\(number)"] = date
      try await convert(browser, source: "s\(number).example")
    }
    // Every number once, in an order that has nothing to do with the dates: 389 and 200 have no common divisor.
    for number in (0..<Self.count).map({ $0 * 389 % Self.count }) {
      let name = "b\(number)"
      let browser = try await browsers.browser(name)
      let start = try #require(dates[name])
      let advanced = try await browser.advance(.by(.days(3)))
      #expect(advanced.now == start + .days(3))
      #expect(
        advanced.events.map(\.kind) == [.reportSent, .reportDelivered, .reportSent, .reportDelivered, .clockAdvanced])
      #expect(advanced.events.allSatisfy { $0.at >= start + .hours(24) && $0.at <= start + .days(3) })
      let sent = await transport.requests.suffix(2).map { String(decoding: $0.body ?? [], as: UTF8.self) }
      #expect(sent.allSatisfy { $0.contains("\"s\(number).example\"") }, "\(name): \(sent)")
    }
    #expect(await transport.requests.count == 2 * Self.count)
  }

  private func convert(_ browser: Browser, source: String) async throws {
    let link = LinkClickInput(
      pageURL: "https://\(source)/", attributionSourceID: "1", attributionDestination: "https://shop.example")
    #expect(try await browser.perform(link).kind == .stored)
    let pixel = TriggeringEventInput(
      firstPartyURL: "https://shop.example/", redirectFrom: "https://\(source)/pixel",
      redirectTo: "https://\(source)\(TriggerURL.pathPrefix)12")
    #expect(try await browser.perform(pixel).kind == .attributed)
  }

  private func browsers(transport: ScriptedTransport) async throws -> Browsers {
    let environment = BrowserEnvironment(
      transport: transport, route: NetworkRoute(), sites: SiteParser(publicSuffixList: .builtIn()),
      wallClock: { Scene.start }, sleep: Scene.noSleep)
    let realTime = RealTime(wallClock: environment.wallClock, sleep: environment.sleep)
    let browsers = Browsers(
      environment: environment, durable: MemoryStore(), ephemeral: MemoryStore(), realTime: realTime, newSeed: { "s" })
    try await browsers.load()
    return browsers
  }
}
