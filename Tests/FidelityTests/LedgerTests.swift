import BrowserSupport
import PCMBrowser
import PCMCore
import PCMNetwork
import Testing

/// The differences of the page *Differences from WebKit*, row by row, that no other suite holds.
@Suite struct LedgerTests {
  private func follow(_ destination: String, from page: String = "https://social.example") async throws -> ClickRecord {
    try await Stage().click(page: page, sourceID: "7", destination: destination)
  }

  private func codes(ofDestination destination: String) async throws -> [String] {
    try await follow(destination).reasons.map(\.code)
  }

  private func verdict(ofSource source: String) async throws -> [String] {
    let stage = try await Stage()
    let target = "https://shop.example\(TriggerURL.pathPrefix)12?attributionSource=\(source)"
    return try await stage.load(Chain(to: target, from: "https://shop.example")).triggeringEvents.map(\.verdict)
  }

  private func codes(ofTrigger location: String, status: Int = 302) async throws -> [[String]] {
    let outcome = try await Stage().load(Chain(to: location, from: "https://news.example", status: status))
    return outcome.triggeringEvents.map { $0.reasons.map(\.code) }
  }

  private func ignored(ofTrigger location: String) async throws -> [String] {
    let outcome = try await Stage().load(Chain(to: location, from: "https://news.example"))
    return outcome.ignored.flatMap { $0.reasons.map(\.code) }
  }

  @Test func emptyLabel() async throws {
    #expect(try await codes(ofDestination: "https://shop..example/") == ["destination-not-http"])
    #expect(try await codes(ofDestination: "https://.shop.example/") == ["destination-not-http"])
    #expect(try await verdict(ofSource: "https://news..example") == ["source-parameter-invalid"])
  }

  @Test func symbol() async throws {
    #expect(try await codes(ofDestination: "https://shop!.example/") == ["destination-not-http"])
    #expect(try await verdict(ofSource: "https://news!.example") == ["source-parameter-invalid"])
  }

  @Test func trailingDot() async throws {
    let outcome = try await follow("https://shop.example./", from: "https://shop.example")
    #expect(outcome.reasons.map(\.code) == ["same-site"])
  }

  @Test func longLabel() async throws {
    let label = String(repeating: "a", count: 63)
    #expect(try await codes(ofDestination: "https://\(label).example/") == [])
    #expect(try await codes(ofDestination: "https://\(label)a.example/") == ["destination-not-http"])
    #expect(try await ignored(ofTrigger: "https://\(label)a.news.example\(TriggerURL.pathPrefix)12") == ["location-invalid"])
  }

  @Test func longHost() async throws {
    let host = String(repeating: "a.", count: 123) + "example"
    #expect(try await codes(ofDestination: "https://\(host)/") == [])
    #expect(try await codes(ofDestination: "https://a\(host)/") == ["destination-not-http"])
    #expect(try await ignored(ofTrigger: "https://a\(host)\(TriggerURL.pathPrefix)12") == ["location-invalid"])
  }

  @Test func longURL() async throws {
    let url = "https://shop.example/" + String(repeating: "a", count: 8_192 - 21)
    #expect(try await codes(ofDestination: url) == [])
    #expect(try await codes(ofDestination: url + "a") == ["destination-not-http"])
  }

  @Test func nul() async throws {
    #expect(try await codes(ofDestination: "https://shop.example\0") == ["destination-not-http"])
  }

  @Test(arguments: [309, 310, 399])
  func unknownStatuses(_ status: Int) async throws {
    #expect(try await codes(ofTrigger: "https://news.example\(TriggerURL.pathPrefix)12", status: status) == [])
  }

  @Test func credentials() async throws {
    #expect(try await codes(ofTrigger: "https://u:p@news.example\(TriggerURL.pathPrefix)12") == [["has-credentials"]])
  }

  @Test func rawBytes() async throws {
    let stage = try await Stage()
    _ = try await stage.click(page: "https://xn--bcher-kva.example", sourceID: "7", destination: "https://shop.example")
    let target = "https://shop.example\(TriggerURL.pathPrefix)12?attributionSource=https://www.bücher.example"
    let outcome = try await stage.load(Chain(to: target, from: "https://shop.example"))
    #expect(outcome.triggeringEvents.map(\.kind) == [.attributed])
  }

  @Test func mixedContent() async throws {
    let trigger = "https://news.example\(TriggerURL.pathPrefix)12"
    let script = try await Stage().load(Chain(to: trigger, from: "http://news.example", kind: "script"))
    #expect(script.error?.code == "mixed-content-blocked" && script.hops.isEmpty)
    let image = try await Stage().load(Chain(to: trigger, from: "http://news.example"))
    #expect(image.hops.first?.url.hasPrefix("https://news.example/") == true && image.triggeringEvents.count == 1)
  }

  @Test func cors() async throws {
    let chain = Chain(to: "https://news.example\(TriggerURL.pathPrefix)12", from: "https://news.example", kind: "fetch")
    #expect(try await Stage().load(chain).triggeringEvents.count == 1)
  }

  @Test func permanentRedirect() async throws {
    let stage = try await Stage()
    let chain = Chain(to: "https://news.example\(TriggerURL.pathPrefix)12", from: "https://news.example", status: 308)
    for _ in 1...2 { #expect(try await stage.load(chain).hops.count == 2) }
    #expect(await stage.scene.transport.requests.count == 4)
  }

  @Test func threeReasons() async throws {
    let trigger = "news.example\(TriggerURL.pathPrefix)12"
    #expect(try await codes(ofTrigger: "http://\(trigger)") == [["not-https"]])
    #expect(try await codes(ofTrigger: "https://u@\(trigger)") == [["has-credentials"]])
    #expect(try await codes(ofTrigger: "https://\(trigger)#") == [["has-fragment"]])
  }

  @Test func nonceOfDiscardedClick() async throws {
    let outcome = try await Stage().click(
      page: "https://social.example", sourceID: "7", destination: "https://shop.example", nonce: "abc",
      landing: "https://other.example/")
    #expect(outcome.reasons.map(\.code) == ["landing-site-mismatch"])
  }

  @Test func clearingWhileOff() async throws {
    let stage = try await Stage()
    _ = try await stage.click(page: "https://social.example", sourceID: "7", destination: "https://shop.example")
    try await stage.scene.browser.change(SettingsChange(measurementEnabled: false))
    try await stage.scene.browser.clear(nil)
    #expect(try await stage.stored().clicks.isEmpty)
  }
}

extension Chain {
  /// One redirect, on a page of `shop.example`.
  fileprivate init(to location: String, from host: String, kind: String = "img", status: Int = 302) {
    self.init(page: "https://shop.example", kind: kind, hosts: [host], statuses: [status], location: location)
  }
}
