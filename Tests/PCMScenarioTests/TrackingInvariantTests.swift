import Foundation
import PCMCore
import PCMURL
import Testing

@testable import PCMApp
@testable import PCMScenario

/// Tracking consent changes nothing in attribution (consent reference, section A4).
@Suite struct TrackingInvariantTests {
  /// A scenario ends with the same reports and postbacks, to the byte and the millisecond, whatever the status of each app is, and
  /// as without any call about tracking.
  ///
  /// Only the names of records differ: they have the numbers of events.
  @Test(arguments: try Corpus.files())
  func everyStatusHasTheSameReportsAndPostbacks(_ file: String) async throws {
    let scenario = try Self.scenario(file)
    let apps = (scenario["apps"]?.members ?? []).map(\.name)
    // A request of a measurement SDK is also a next event.
    let hasEvents = !scenario.text.contains(#""toNextEvent""#)
    let expected = try await Self.end(of: scenario, prologue: [])
    for status in TrackingStatus.allCases {
      let end = try await Self.end(of: scenario, prologue: apps.flatMap { Self.steps(to: status, of: $0, hasEvents) })
      #expect(end == expected, "\(file) with the status \(status)")
    }
  }

  @Test func theCorpusHasReportsAndPostbacks() async throws {
    for (file, place) in [("recipe-app-to-web.yaml", 0), ("recipe-device-both-faces.yaml", 1)] {
      let end = try await Self.end(of: try Self.scenario(file), prologue: [])
      #expect((end[place]["items"]?.items.first?["body"]?.members.count ?? 0) > 3, "\(file)")
    }
  }

  /// The calls that lead to a status, which differ in number, with an event of a measurement SDK before and after them.
  private static func steps(to status: TrackingStatus, of app: String, _ hasEvents: Bool) -> [JSON] {
    let event: JSON = [
      "sdk-event": ["bundleIdentifier": .string(app), "event": "open", "consentWaitingInterval": "PT60S"]
    ]
    let events = hasEvents ? [event] : []
    let request: JSON = ["tracking-request": ["bundleIdentifier": .string(app)]]
    func answer(_ allow: Bool) -> JSON { ["tracking-answer": ["bundleIdentifier": .string(app), "allow": .bool(allow)]] }
    let calls: [JSON] =
      switch status {
      case .notDetermined: []
      case .restricted: [["tracking-setting": ["system": "restricted"]]]
      case .denied: [request, answer(false)]
      case .authorized: [request, answer(true)]
      }
    return events + calls + events
  }

  /// Returns a scenario with apps that can ask to track, with further steps before the first one, and without expectations except
  /// of a status.
  private static func edited(_ scenario: JSON, prologue: [JSON]) -> JSON {
    let members = scenario.members.map { member -> JSON.Member in
      switch member.name {
      case "apps": .init(member.name, .object(member.value.members.map { .init($0.name, asking($0.value)) }))
      case "steps": .init(member.name, .array(prologue + member.value.items.compactMap(withoutExpectations)))
      default: member
      }
    }
    return .object(members)
  }

  private static func asking(_ app: JSON) -> JSON {
    let usage = JSON.Member("NSUserTrackingUsageDescription", "To measure ads.")
    let keys = (app["infoPlist"]?.members ?? []).filter { $0.name != usage.name }
    let infoPlist = JSON.object(keys + [usage])
    return .object(app.members.filter { $0.name != "infoPlist" } + [.init("infoPlist", infoPlist)])
  }

  private static func withoutExpectations(_ step: JSON) -> JSON? {
    let rest = step.members.filter { $0.name != "expect" }
    let status = step["expect"]?["status"].map { [JSON.Member("expect", ["status": $0])] } ?? []
    return rest.contains { $0.name != "name" } ? .object(rest + status) : nil
  }

  /// Plays a scenario after some steps, and returns the reports and the postbacks with their bodies and attempts, without the names
  /// of records.
  private static func end(of scenario: JSON, prologue: [JSON]) async throws -> [JSON] {
    let edited = try Corpus.scenario(edited(scenario, prologue: prologue).bytes)
    let (result, lists) = try await ScenarioStages(sites: Corpus.sites).play(edited, seed: nil) { service, _ in
      var lists: [JSON] = []
      for path in ["\(PlayedBrowser.path)/reports", "\(PlayedBrowser.devicePath)/postbacks"] {
        let call = ScenarioStage.Call("GET", "\(path)?limit=1000&include=body&include=response")
        lists.append((try? await service.stage.call(call).body).flatMap { JSON(parsing: $0) } ?? .null)
      }
      return lists
    }
    #expect(result.failure == nil && lists.allSatisfy { $0["items"] != nil }, "\(String(describing: result.failure))")
    return lists.map(\.comparable)
  }

  private static func scenario(_ file: String) throws -> JSON {
    try SourceNode.read(SourceText(try Corpus.bytes(of: file))).json
  }
}

extension JSON {
  /// The value without members that name a record. Of tokens and their signatures, only the presence counts: cryptography draws them.
  fileprivate var comparable: JSON {
    switch self {
    case .object(let members):
      .object(
        members.filter { $0.name != "id" && !$0.name.hasSuffix("Id") }.map { member in
          .init(member.name, member.name.contains("_token") ? "drawn" : member.value.comparable)
        })
    case .array(let items): .array(items.map(\.comparable))
    default: self
    }
  }
}
