import HTTPTypes
import Hummingbird
import NIOCore
import PCMCore
import PCMCrypto
import PCMEndpoint

/// The admin routes, which ``AdminRules`` protect.
extension EndpointAPI {
  func addAdminRoutes(to table: inout RouteTable) {
    guarded(&table, "/admin/reports", .get, parameters: ["cursor", "limit"]) { request, _ in
      try await list(request, kinds: [.report])
    }
    for path in ["/admin/reports", "/admin/postbacks"] {
      guarded(&table, path, .delete) { _, _ in
        await endpoint.clear()
        return Response(status: .noContent)
      }
    }
    guarded(
      &table, "/admin/postbacks", .get, parameters: ["cursor", "limit", .repeatable("environment")]
    ) { request, _ in
      let environments = try QueryReader(request).choices("environment", of: PostbackEnvironment.self)
      return try await list(request, kinds: [.postback], environments: environments)
    }
    guarded(&table, "/admin/postbacks/counts", .get) { _, _ in Response(json: await endpoint.postbackCounts) }
    guarded(
      &table, "/admin/requests", .get, parameters: ["cursor", "limit", .repeatable("kind")]
    ) { request, _ in
      try await list(request, kinds: try QueryReader(request).choices("kind", of: ReceivedRequest.Kind.self))
    }
    guarded(&table, "/admin/nonces", .post) { request, context in try await registerNonces(request, context) }
    guarded(&table, "/admin/faults", .get) { _, _ in Response(json: await endpoint.plannedFaults.json) }
    guarded(&table, "/admin/faults", .put) { request, context in
      let body = try await request.json(as: FaultsBody.self, in: context)
      await endpoint.plan(FaultPlan(body.rules, seed: body.seed))
      return Response(json: await endpoint.plannedFaults.json)
    }
    guarded(&table, "/admin/faults", .delete) { _, _ in
      await endpoint.plan(FaultPlan())
      return Response(status: .noContent)
    }
    guarded(&table, "/admin/keys", .get) { _, _ in
      let ring = await endpoint.keyRing
      let hosts = ring.byHost.keys.sorted().map { ring.series(for: $0).json(host: $0) }
      return Response(json: ["items": .array([ring.common.json(host: nil)] + hosts)])
    }
    guarded(&table, "/admin/keys/rotate", .post, parameters: ["host"]) { request, _ in try await rotate(request) }
  }

  /// Adds an admin route, for callers with access.
  func guarded(
    _ table: inout RouteTable, _ path: String, _ method: HTTPRequest.Method, parameters: [QueryParameter] = [],
    use handler: @escaping RouteTable.Handler
  ) {
    table.on(path, method, parameters: parameters) { request, context in
      try adminRules.check(request, address: context.channel?.peerAddress)
      return try await handler(request, context)
    }
  }

  private func list(
    _ request: Request, kinds: Set<ReceivedRequest.Kind>, environments: Set<PostbackEnvironment> = []
  ) async throws -> Response {
    let query = QueryReader(request)
    let limit = try query.limit()
    let cursors = ListCursors(request.uri.path)
    let entries = await endpoint.entries(
      after: try query.numericCursor(cursors), kinds: kinds, environments: environments, limit: limit + 1)
    return Response(json: Page.json(entries, limit: limit, cursor: { cursors.text(Int64($0.number)) }, json: \.json))
  }

  private func registerNonces(_ request: Request, _ context: APIContext) async throws -> Response {
    let body = try await request.json(as: NoncesBody.self, in: context)
    let texts = body.nonces + (0..<body.mint).map { _ in machine.mintNonce() }
    do throws(RequestError) {
      let new = try await endpoint.register(texts)
      return Response(json: ["nonces": .array(new.map { .string($0) })], status: .created)
    } catch {
      throw Problem(error)
    }
  }

  private func rotate(_ request: Request) async throws -> Response {
    let host = QueryReader(request).text("host")?.lowercased()
    let unknown = Problem.notFound("\(host ?? "") has no separate key; omit \"host\" to rotate the shared key")
    // Checked first, because generating a key is slow.
    if let host, await endpoint.keyRing.byHost[host] == nil { throw unknown }
    let (key, save) = (try machine.generateKey(), machine.saveKeys)
    let series: KeySeries?
    do {
      series = try await endpoint.rotate(host, to: key) { try save(host, $0) }
    } catch {
      throw Problem(
        code: "not-saved", title: "Key not saved", status: .internalServerError,
        detail: "the previous key stays in use; check that the key file's folder exists and is writable")
    }
    guard let series else { throw unknown }
    return Response(json: series.json(host: host))
  }
}

extension KeySeries {
  fileprivate func json(host: String?) -> JSON {
    [
      "host": .string(host), "keyId": .string(current.publicKey.id.text), "tokenPublicKey": .string(current.publicKeyWire),
      "bits": .number(Int64(current.publicKey.modulusByteCount * 8)),
      "earlier": .array(earlier.map { .string($0.publicKey.id.text) }),
    ]
  }
}

extension Channel {
  /// The peer's address; with HTTP/2, the address of the connection's peer. A channel within the process has none.
  fileprivate var peerAddress: String? { (remoteAddress ?? parent?.remoteAddress)?.ipAddress }
}
