import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOPosix
import PCMCore
package import PCMScenario

extension ControlAPI {
  func addScenarioRoutes(to routes: inout RouteTable) {
    routes.on("/v1/scenarios", .post) { request, context in
      guard let scenarios else { throw Problem.notFound("this service does not play scenarios") }
      // A scenario leaves nothing behind, so a repetition plays it again.
      _ = try request.idempotencyKey()
      let scenario = try await request.scenario()
      let result = try await scenarios.play(scenario)
      return Response(json: result.json)
    }
  }
}

extension Request {
  private static let jsonType = "application/json"
  private static let scenarioTypes = [jsonType, "application/yaml", "application/x-yaml", "text/yaml"]

  /// Returns the scenario in the body. Invalid YAML or JSON is 400. An invalid scenario is 422, with the place of each
  /// error.
  fileprivate func scenario() async throws -> Scenario {
    try await document(upTo: BodyLimit.scenario) { (bytes, format) throws(ScenarioErrors) in
      try ScenarioReader().read(bytes, as: format)
    }
  }

  /// Returns the value of a YAML or JSON body in the format of scenario files.
  ///
  /// - Parameter read: Reads the value, or throws the errors with their places.
  func document<Value: Sendable>(
    upTo limit: Int, read: @escaping @Sendable (_ bytes: [UInt8], _ format: SourceFormat) throws(ScenarioErrors) -> Value
  ) async throws -> Value {
    try requireMediaType(Self.scenarioTypes)
    let bytes = Array(try await bytes(upTo: limit).readableBytesView)
    let format = isJSON ? SourceFormat.json : .yaml
    // In a thread for blocking work, so that a few large documents at a time do not occupy the threads of other calls.
    return try await NIOThreadPool.singleton.runIfActive {
      if format == .json, !JSON.isValid(bytes) {
        throw Problem.malformed("the body is not valid JSON in UTF-8; send YAML as application/yaml")
      }
      do throws(ScenarioErrors) {
        return try read(bytes, format)
      } catch {
        throw Problem(error, isReadable: ScenarioReader.isReadable(bytes))
      }
    }
  }
}

extension Problem {
  /// Creates the problem for an invalid scenario, with the place of each error.
  ///
  /// - Parameter isReadable: Whether the body is valid YAML.
  fileprivate init(_ errors: ScenarioErrors, isReadable: Bool) {
    let shown = errors.errors.prefix(Self.maximumErrors)
    let detail = shown.map { "line \($0.place.line), column \($0.place.column): \($0.detail)" }.joined(separator: "; ")
    self = isReadable ? .invalid(detail) : .malformed(detail)
    self.errors = shown.map(\.entry)
  }

  /// The maximum number of errors in a problem.
  private static let maximumErrors = 100
}

extension ScenarioError {
  fileprivate var entry: JSON {
    [
      "pointer": .string(pointer), "line": .number(Int64(place.line)), "column": .number(Int64(place.column)),
      "detail": .string(detail), "code": .string(code.rawValue),
    ]
  }
}

/// Plays scenarios for callers, a few at a time, because each takes the resources of a browser.
package final class ScenarioPlaying: Sendable {
  private let most: Int
  private let underWay = NIOLockedValueBox(0)
  private let perform: @Sendable (Scenario) async throws -> ScenarioResult

  /// The standard number of scenarios that are played at a time.
  package static let standardCount = 4

  /// - Parameter most: The number of scenarios that are played at a time.
  package init(most: Int = standardCount, perform: @escaping @Sendable (Scenario) async throws -> ScenarioResult) {
    self.most = most
    self.perform = perform
  }

  /// - Throws: `Problem` when the maximum number of scenarios is being played.
  func play(_ scenario: Scenario) async throws -> ScenarioResult {
    let isAdmitted = underWay.withLockedValue { count in
      guard count < most else { return false }
      count += 1
      return true
    }
    guard isAdmitted else {
      throw Problem.busy("the maximum of \(most) scenarios is being played; nothing was played, try again")
    }
    defer { underWay.withLockedValue { $0 -= 1 } }
    return try await perform(scenario)
  }
}
