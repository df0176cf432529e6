import Hummingbird
import PCMCore
import PCMEndpoint

/// The routes for ads that lead to apps, which devices call (SKAdNetwork reference, sections 2.3 and 9; AdAttributionKit
/// reference, section 6).
extension EndpointAPI {
  private static let payloadPath = "/.well-known/skadnetwork/get-signed-payload"

  func addAppAdRoutes(to table: inout RouteTable) {
    for framework in AdFramework.allCases { addPostbackRoute(to: &table, [framework.copyPath], for: framework) }
    // The router ignores a slash at the end of a path.
    for paths in Dictionary(grouping: endpoint.appAds.postbackPaths, by: { $0.split(separator: "/") }).values {
      addPostbackRoute(to: &table, paths, for: nil)
    }
    table.on(Self.payloadPath, .post, parameters: nil) { request, context in
      try require(request, [Self.payloadPath])
      return try await serve(.signedPayload, request, context) { received, fault in
        EndpointResponse(json: try await endpoint.signedPayload(received, fault: fault))
      }
    }
  }

  /// - Parameters:
  ///   - paths: One path, with or without a slash at its end, or both.
  ///   - framework: The framework whose postbacks the path accepts; nil for both.
  private func addPostbackRoute(to table: inout RouteTable, _ paths: [String], for framework: AdFramework?) {
    guard let first = paths.first else { return }
    table.on(first, .post, parameters: nil) { request, context in
      try require(request, paths)
      return try await serve(.postback, request, context) { received, fault in
        _ = try await endpoint.takePostback(received, for: framework, fault: fault)
        return EndpointResponse(json: .object([]))
      }
    }
  }

  /// Devices use the documented paths exactly, so another spelling would hide a mistake.
  private func require(_ request: Request, _ paths: [String]) throws {
    guard !paths.contains(request.uri.path) else { return }
    throw Problem.notFound("the path is \(paths.joined(separator: " or ")), not \(request.uri.path)")
  }
}
