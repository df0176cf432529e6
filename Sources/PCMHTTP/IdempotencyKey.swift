import Crypto
import HTTPTypes
import Hummingbird
import NIOCore
import PCMBrowser
import PCMCore
import PCMStore

extension ControlAPI {
  /// Adds the route of each operation.
  func addOperationRoutes(to routes: inout RouteTable) {
    add(EventAttributionInput.self, to: &routes)
    add(LinkClickInput.self, to: &routes)
    add(TriggeringEventInput.self, to: &routes)
    add(ImpressionInput.self, to: &routes)
    add(ImpressionEndInput.self, to: &routes)
    add(ImpressionTapInput.self, to: &routes)
    add(InstallInput.self, to: &routes)
    add(LaunchInput.self, to: &routes)
    add(ConversionValueInput.self, to: &routes)
  }

  private func add<Input: Operation>(_ operation: Input.Type, to routes: inout RouteTable) {
    routes.on(Input.path, .post, isShort: Input.isShort) { request, context in
      let browser = try browser(context)
      let subject = try Input.subject.map(context.pathPart)
      return try await request.answerOnce(by: browser) { (input: Input, keyed) in
        try await input.perform(in: browser, on: subject, for: keyed)
      } answer: { outcome in
        Input.answer(outcome, of: browser)
      }
    }
  }
}

extension Request {
  /// Performs a POST and answers it. With an `Idempotency-Key`, a repetition within 24 hours returns the first answer, and waits
  /// for the first request.
  ///
  /// Errors without an effect are not kept: the caller may correct the request and use the key again.
  ///
  /// - Parameters:
  ///   - keeper: Keeps the answer: the browser in the path, or the service.
  ///   - perform: Performs the request with this body.
  ///   - answer: Renders the outcome. With a key, the transaction of the effect keeps it.
  func answerOnce<Body: JSONBody, Outcome: Sendable>(
    by keeper: some RequestKeeping, perform: (Body, KeyedRequest<Outcome>?) async throws -> Outcome,
    answer: @escaping @Sendable (Outcome) -> PostAnswer
  ) async throws -> Response {
    let key = try idempotencyKey()
    let isOptional = Body.definition.isOptional
    let bytes = try await bytesOfJSON(isOptional: isOptional)
    guard let key else { return Response(answer(try await perform(try body(bytes, isOptional: isOptional), nil))) }
    try await keeper.keyLocks.lock(key)
    defer { keeper.keyLocks.unlock(key) }
    let keyed = KeyedRequest(
      key: key, digest: digest(of: Array(bytes.readableBytesView)), at: keeper.world.wallClock(), answer: answer)
    if let kept = try await keeper.keptAnswer(to: keyed) { return Response(repeating: kept) }
    return Response(keyed.answer(to: try await perform(try body(bytes, isOptional: isOptional), keyed)))
  }

  /// Returns the `Idempotency-Key`, or nil without one.
  func idempotencyKey() throws -> String? {
    guard let name = HTTPField.Name.idempotencyKey, headers.contains(name) else { return nil }
    let values = headers[values: name]
    guard values.count == 1, let key = values.first, (1...255).contains(key.utf8.count),
      key.utf8.allSatisfy({ (UInt8(ascii: " ")...UInt8(ascii: "~")).contains($0) })
    else { throw Problem.invalidKey() }
    return key
  }

  /// Returns a digest of all that tells requests apart: the method, the path with its query, and the body.
  private func digest(of body: [UInt8]) -> String {
    Base64URL.encode(Array(SHA256.hash(data: Array("\(method.rawValue) \(uri.string)\n".utf8) + body)))
  }
}

extension Response {
  init(_ answer: PostAnswer) {
    self.init(json: answer.json, status: HTTPResponse.Status(code: answer.status), location: answer.location)
  }

  fileprivate init(repeating answer: PostAnswer) {
    self.init(answer)
    if let name = HTTPField.Name.idempotentReplayed { headers[name] = "true" }
    // A creation is answered with the browser of that time, which may be gone.
    if let name = HTTPField.Name.browserIncarnation {
      headers[name] = JSON(parsing: answer.json.bytes)?["incarnation"]?.string
    }
  }
}

extension HTTPField.Name {
  static let browserIncarnation = HTTPField.Name("Browser-Incarnation")
  fileprivate static let idempotencyKey = HTTPField.Name("Idempotency-Key")
  fileprivate static let idempotentReplayed = HTTPField.Name("Idempotent-Replayed")
}
