import HTTPTypes
import Hummingbird
import NIOCore
import PCMCore
import PCMEndpoint

/// The protocol routes, which browsers call (reference, sections 7 and 8).
extension EndpointAPI {
  private static let folder = "/.well-known/private-click-measurement/"

  func addProtocolRoutes(to table: inout RouteTable) {
    table.on(Self.folder + "report-attribution", .post, parameters: nil) { request, context in
      try await serve(.report, request, context) { received, fault in
        _ = try await endpoint.takeReport(received, fault: fault)
        return EndpointResponse(json: .object([]))
      }
    }
    table.on(Self.folder + "get-token-public-key", .get, parameters: nil) { request, context in
      try await serve(.key, request, context) { received, fault in
        EndpointResponse(json: ["token_public_key": .string(await endpoint.publicKey(received, fault: fault))])
      }
    }
    table.on(Self.folder + "sign-unlinkable-token", .post, parameters: nil) { request, context in
      try await serve(.sign, request, context) { received, fault in
        EndpointResponse(json: ["unlinkable_token": .string(try await endpoint.sign(received, fault: fault))])
      }
    }
    addTriggerRoutes(to: &table)
  }

  private func addTriggerRoutes(to table: inout RouteTable) {
    for path in ["trigger-attribution/:data", "trigger-attribution/:data/:priority"] {
      table.on(Self.folder + path, .get, parameters: ["attributionSource", "attributionDestinationNonce"]) { request, context in
        try await serve(.trigger, request, context) { received, fault in
          _ = try await endpoint.takeTrigger(
            received, data: context.parameters.get("data") ?? "", priority: context.parameters.get("priority"), fault: fault)
          // The browser evaluates the redirect to this path, not this response.
          return EndpointResponse(status: .noContent)
        }
      }
    }
    table.on("/pixel", .get, parameters: ["data", "priority", "source", "nonce"]) { request, context in
      let query = QueryReader(request)
      return try await serve(.pixel, request, context) { received, fault in
        let trigger = try await endpoint.takeTrigger(
          received, data: query.text("data") ?? "", priority: query.text("priority"), fault: fault)
        let location = trigger.location(source: query.text("source"), nonce: query.text("nonce"))
        return EndpointResponse(status: .found, headers: [.location: location])
      }
    }
  }

  /// Reads and processes a request, and applies the ordered fault.
  func serve(
    _ kind: ReceivedRequest.Kind, _ request: Request, _ context: APIContext,
    process: @Sendable (ReceivedRequest, InjectedFault?) async throws -> EndpointResponse
  ) async throws -> Response {
    let fault = await endpoint.fault(for: kind, at: request.targetHost)
    let performer = FaultPerformer(channel: context.channel) { [machine] pause in
      try await context.cancelingOnClose { try await machine.sleep(pause) }
    }
    if fault?.kind == .resetBeforeBody {
      await endpoint.note(receivedRequest(kind, request, body: []), fault: fault)
      return try await performer.resetConnection()
    }
    // The media type of postbacks is not documented.
    if request.method == .post, kind != .postback { try request.requireMediaType(["application/json"]) }
    let received = receivedRequest(kind, request, body: Array(try await request.bytes(upTo: BodyLimit.json).readableBytesView))
    if let fault, !fault.isProcessed {
      await endpoint.note(received, fault: fault)
      return performer.substitute(fault)
    }
    let response: EndpointResponse
    do {
      response = try await process(received, fault)
    } catch let error as RequestError {
      response = EndpointResponse(error)
    }
    guard let fault else { return response.httpResponse }
    return try await performer.perform(fault, on: response)
  }

  private func receivedRequest(_ kind: ReceivedRequest.Kind, _ request: Request, body: [UInt8]) -> ReceivedRequest {
    ReceivedRequest(
      kind: kind, host: request.targetHost, method: request.method.rawValue, path: request.uri.string,
      headers: request.headers.map { ReceivedRequest.Header(name: $0.name.canonicalName, value: $0.value) }, body: body)
  }
}
