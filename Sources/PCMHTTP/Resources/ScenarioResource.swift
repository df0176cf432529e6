import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import PCMCore
package import PCMScenario

extension ControlAPI {
  func addScenarioRoutes(to routes: inout RouteTable) {
    routes.on("/v1/scenarios", .post) { request, _ in
      guard let scenarios else { throw Problem.notFound("this service plays no scenarios") }
      let scenario = try await request.scenario()
      return Response(json: try await scenarios.play(scenario).json)
    }
  }
}

extension Request {
  private static let jsonType = "application/json"
  private static let scenarioTypes = [jsonType, "application/yaml", "application/x-yaml", "text/yaml"]

  /// A scenario in the body. What is no YAML, or no JSON where it says so, is 400; what is no scenario is 422, with the
  /// place of everything that is wrong.
  fileprivate func scenario() async throws -> Scenario {
    try requireMediaType(Self.scenarioTypes)
    let bytes = Array(try await bytes(upTo: BodyLimit.scenario).readableBytesView)
    // YAML reads JSON, too, but not only.
    if (try? requireMediaType([Self.jsonType])) != nil, !JSON.isValid(bytes) {
      throw Problem.malformed("the body is not valid JSON in UTF-8; YAML is sent as application/yaml")
    }
    do throws(ScenarioFaults) {
      return try ScenarioReader().read(bytes)
    } catch {
      throw Problem(error, isReadable: ScenarioReader.isReadable(bytes))
    }
  }
}

extension Problem {
  /// Why a body is no scenario, each fault with its place in the text.
  ///
  /// - Parameter isReadable: it is YAML at least.
  fileprivate init(_ faults: ScenarioFaults, isReadable: Bool) {
    let shown = faults.faults.prefix(Self.mostFaults)
    let detail = shown.map { "line \($0.place.line), column \($0.place.column): \($0.detail)" }.joined(separator: "; ")
    self = isReadable ? .invalid(detail) : .malformed(detail)
    errors = shown.map(\.entry)
  }

  /// More help nobody.
  private static let mostFaults = 100
}

extension ScenarioFault {
  fileprivate var entry: JSON {
    [
      "pointer": .string(pointer), "line": .number(Int64(place.line)), "column": .number(Int64(place.column)),
      "detail": .string(detail),
    ]
  }
}

/// Plays scenarios for callers, a few at a time: each takes as much as a browser, for as long as it takes.
package final class ScenarioPlaying: Sendable {
  private let most: Int
  private let underWay = NIOLockedValueBox(0)
  private let perform: @Sendable (Scenario) async throws -> ScenarioResult

  /// - Parameter most: how many are played at a time.
  package init(most: Int = 4, perform: @escaping @Sendable (Scenario) async throws -> ScenarioResult) {
    self.most = most
    self.perform = perform
  }

  /// - Throws: `Problem` when as many are being played as may be.
  func play(_ scenario: Scenario) async throws -> ScenarioResult {
    let isAdmitted = underWay.withLockedValue { count in
      guard count < most else { return false }
      count += 1
      return true
    }
    guard isAdmitted else { throw Problem.busy(most) }
    defer { underWay.withLockedValue { $0 -= 1 } }
    return try await perform(scenario)
  }
}

extension Problem {
  fileprivate static func busy(_ most: Int) -> Problem {
    Problem(
      name: "busy", title: "The service plays other scenarios", status: .serviceUnavailable,
      detail: "\(most) scenarios are being played, as many as may be at a time; nothing was played, try again")
  }
}
