import PCMCore
import PCMNetwork
import PCMScenario
import PCMSimulatedSites
import Testing

@Suite struct ScenarioReaderTests {
  @Test("A complete file is parsed")
  func wholeFile() throws {
    let scenario = try scenario(goodFile)
    #expect(scenario.name == "App to web with a pixel")
    #expect(scenario.rule == "case 114 [T]")
    #expect(scenario.browser.seed == "114")
    #expect(scenario.browser.isDurable)
    #expect(scenario.browser.start.text == "2026-11-20T10:00:00.000Z")
    #expect(scenario.browser.settings.text == #"{"deliveryPolicy":"reliable","debugMode":false}"#)
    #expect(scenario.steps.count == 13)
    #expect(scenario.steps.map(\.number) == Array(1...13))
    #expect(scenario.steps[1].name == "The page's pixel")
    #expect(scenario.steps[0].name == "step 1: event-attribution")
    #expect(scenario.steps[2].name == "step 3: at PT51H")
    #expect(scenario.steps[1].at == .hours(3))
    #expect(scenario.steps[1].place == SourcePlace(line: 25, column: 5))
    #expect(scenario.steps[0].expectation?.json.text == #"{"status":422,"errors":["/sourceIdentifier"]}"#)
    #expect(scenario.steps[3].expectation == nil)
  }

  @Test("Sites are parsed with their lists of responses")
  func sites() throws {
    let sites = try scenario(goodFile).sites
    let shop = try #require(sites["shop.example"])
    #expect(shop.key == .second)
    #expect(shop.lists["report"]?.map(\.status) == [500])
    #expect(shop.lists["report"]?.first?.contentType == "text/plain")
    #expect(shop.lists["report"]?.first?.body == "]] it's broken {{")
    #expect(shop.lists["token-key"]?.map(\.body) == [nil, ""])
    #expect(shop.lists["sign"]?.first?.forged == true)
    #expect(shop.lists["sign"]?.first?.short == false)
    #expect(shop.lists["/pixel?a=1"]?.first?.location == "https://news.example/x")
    #expect(sites["news.example"]?.lists["report"]?.first?.failure == .timedOut)
    #expect(sites["news.example"]?.key == nil)
  }

  @Test("Each action is parsed")
  func actions() throws {
    let actions = try scenario(goodFile).steps.map { step -> String in
      switch step.action?.effect {
      case .call(let call):
        ([call.method, call.path.replacing("/v1/browsers/scenario", with: "…")] + (call.body.isEmpty ? [] : [text(call)]))
          .joined(separator: " ")
      case .advance(let body): "advance \(body.text)"
      case .sites(let sites): "sites \(sites.mapValues { $0?.lists["report"]?.map { $0.status ?? 0 } ?? [] })"
      case .restart: "restart"
      case .about: "about"
      case nil: "nothing"
      }
    }
    #expect(
      actions == [
        #"POST …/event-attributions {"bundleIdentifier":"com.example.news","sourceIdentifier":256,"#
          + #""destinationURL":"https://shop.example/"}"#,
        #"POST …/triggering-events {"firstPartyURL":"https://shop.example/thanks?a=1&b=2","#
          + #""redirect":{"from":"https://news.example/pixel","to":"https://news.example/12/03"}}"#,
        "nothing", #"advance {"untilIdle":true}"#, #"advance {"by":"PT1M"}"#,
        #"PATCH … {"settings":{"privateBrowsing":true}}"#,
        #"PUT …/apps/com.example.new {"infoPlist":{"NSAdvertisingAttributionReportEndpoint":"https://new.example/?a&b"}}"#,
        "PUT …/apps <plist><dict/></plist>", "DELETE …/apps/com.example.new", #"sites ["shop.example": [503, 0]]"#,
        "DELETE …/data?site=shop.example", "DELETE …/data", "restart",
      ])
  }

  /// The body of a call, or of a manifest the line with its contents.
  private func text(_ call: ScenarioStage.Call) -> String {
    let text = String(decoding: call.body, as: UTF8.self)
    return call.mediaType == "application/json" ? text : String(text.split(separator: "\n")[1])
  }

  @Test("Absent members have their defaults")
  func defaults() throws {
    let long = String(repeating: "ä", count: 100)
    let scenario = try scenario("scenario: \(long)\nsteps: [{ at: PT0S }]\n")
    #expect(scenario.browser.seed == long)
    #expect(!scenario.browser.isDurable)
    #expect(scenario.browser.start.text == "2026-11-20T10:00:00.000Z")
    #expect(scenario.browser.settings.text == "{}")
    #expect(scenario.apps.isEmpty && scenario.sites.isEmpty && scenario.rule == nil)
  }

  @Test("An app without an endpoint has a manifest without that key")
  func bareManifest() throws {
    let endpoints = try scenario(goodFile).apps.map { app -> Bool? in
      guard case .registration(_, let body) = app else { return nil }
      return body["infoPlist"]?["NSAdvertisingAttributionReportEndpoint"] != nil
    }
    #expect(endpoints == [true, false])
  }

  @Test("A manifest's file is read by its path")
  func manifestFile() throws {
    let step = file(step: "app: { manifest: ../app/Info.plist }")
    let reader = ScenarioReader { path in Array("<\(path)>".utf8) }
    guard case .call(let call) = try reader.read(Array(step.utf8)).steps[0].action?.effect else {
      Issue.record("no registration")
      return
    }
    #expect(call.body == Array("<../app/Info.plist>".utf8) && call.mediaType == "application/x-plist")
  }

  @Test("A manifest has the bundle identifier that it lacks", arguments: ["manifest: Info.plist", "plist: <plist/>"])
  func namedManifest(_ member: String) throws {
    for (name, expected) in [("", nil), (", bundleIdentifier: com.example.given", "com.example.given")] as [(String, String?)] {
      let step = file(step: "app: { \(member)\(name) }")
      let scenario = try ScenarioReader { _ in Array("<plist/>".utf8) }.read(Array(step.utf8))
      guard case .call(let call) = scenario.steps[0].action?.effect else {
        Issue.record("no manifest in \(step)")
        continue
      }
      #expect(call.body == Array("<plist/>".utf8))
      #expect(call.path == "/v1/browsers/scenario/apps" + (expected.map { "/\($0)" } ?? ""))
    }
  }

  @Test("An unreadable manifest file is an error with its place")
  func missingManifest() {
    struct Missing: Error {}
    let step = Array(file(step: "app: { manifest: Info.plist }").utf8)
    let reader = ScenarioReader { _ in throw Missing() }
    do {
      _ = try reader.read(step)
      Issue.record("was read")
    } catch {
      #expect(error.errors.map(\.pointer) == ["/steps/0/app/manifest"])
    }
    #expect(
      errors(step).map(\.detail) == ["expected no files here; use plist with the text of the manifest"])
  }
}
