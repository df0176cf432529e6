import HTTPTypes
import Hummingbird
import PCMBrowser
import PCMCore
import PCMScenario
import PCMStore

extension ControlAPI {
  /// Adds the history of a browser as a scenario.
  func addHistoryRoutes(to routes: inout RouteTable) {
    routes.on("/v1/browsers/:browser/scenario", .get) { request, context in
      let browser = try await browser(context)
      let isJSON = request.headers[.accept]?.contains("application/json") == true
      let text = try await scenario(of: browser, isJSON: isJSON)
      return Response(text: text, mediaType: isJSON ? "application/json" : "application/yaml")
    }
  }

  /// Returns the calls that changed a browser as a scenario file.
  ///
  /// - Throws: `BrowserError.noHistory`, or `Problem` for calls that a scenario cannot contain.
  func scenario(of browser: Browser, isJSON: Bool) async throws -> String {
    let calls = try await browser.history().map { RecordedCall($0) }
    do throws(TranscriptEnd) {
      return try Transcript(of: browser).file(of: calls, isJSON: isJSON)
    } catch {
      throw Problem(error)
    }
  }
}

extension Transcript {
  /// Creates the transcript of a browser from its creation on.
  fileprivate init(of browser: Browser) {
    let record = browser.record
    self.init(
      name: record.name, seed: record.seed, isDurable: browser.storage == .durable, start: record.start,
      settings: record.initialSettings.json)
  }
}

extension RecordedCall {
  fileprivate init(_ call: PastCall) {
    self.init(action: RecordedCall.step(call.action), response: call.answer, events: call.events)
  }
}

extension Problem {
  /// Creates the problem for calls that a scenario cannot contain.
  fileprivate init(_ end: TranscriptEnd) {
    switch end {
    case .full: self = .scenarioTooLong
    case .unreadable(let error):
      self = .noScenario("unsupported", "a scenario cannot express the history of this browser: \(error)")
    }
  }

  init(_ missing: MissingHistory) {
    switch missing {
    case .realClock:
      self = .noScenario(
        "clock-real", "a scenario has a manual clock; create the browser with clock.mode \"manual\"")
    case .tooLong: self = .scenarioTooLong
    case .interrupted:
      self = .noScenario(
        "interrupted",
        "an interrupted call took effect in part, so no scenario leads to the same log; delete the browser and create it again")
    }
  }

  private static var scenarioTooLong: Problem {
    .noScenario(
      "too-long",
      "the history of this browser exceeds a scenario's limits of \(Transcript.stepLimit) steps and \(Transcript.sizeLimit) "
        + "bytes; delete the browser and create it again")
  }

  private static func noScenario(_ reason: String, _ detail: String) -> Problem {
    Problem(code: "scenario-\(reason)", title: "No scenario", status: .conflict, detail: detail)
  }
}
