import Hummingbird
import PCMCore
import PCMScenario

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
    if (try? requireMediaType([Self.jsonType])) != nil { try Self.checkJSON(bytes) }
    do throws(ScenarioFaults) {
      return try ScenarioReader().read(bytes)
    } catch {
      throw Problem(error, isReadable: ScenarioReader.isReadable(bytes))
    }
  }

  private static func checkJSON(_ bytes: [UInt8]) throws {
    do {
      _ = try JSONDecoder().decode(AnyJSON.self, from: Data(bytes))
    } catch {
      throw Problem.malformed("the body is not valid JSON in UTF-8; YAML is sent as application/yaml")
    }
  }

  /// Looks at nothing: the decoder has read the whole text before it asks.
  private struct AnyJSON: Decodable {
    init(from decoder: any Decoder) throws {}
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
