import PCMNetwork

/// A network that answers requests after a gate is opened.
package struct HeldNetwork: Sendable {
  package let gate = Gate()
  package let transport: ScriptedTransport
  private let requests: AsyncStream<Void>

  package init() {
    let (requests, request) = AsyncStream.makeStream(of: Void.self)
    self.requests = requests
    transport = ScriptedTransport { [gate] _, _ in
      request.yield()
      await gate.wait()
      return Exchange(httpStatus: 200)
    }
  }

  /// Returns when the next request has arrived.
  package func untilRequest() async {
    for await _ in requests { break }
  }
}
