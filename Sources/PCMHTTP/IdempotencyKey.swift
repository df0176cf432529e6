import Crypto
import HTTPTypes
import Hummingbird
import NIOCore
import PCMBrowser
import PCMCore
import PCMStore

extension Request {
  /// Performs an operation and answers it. With an `Idempotency-Key`, a repetition within 24 hours returns the first answer, and waits
  /// for the first request.
  ///
  /// Errors without an effect are not kept: the caller may correct the request and use the key again.
  ///
  /// - Parameters:
  ///   - keeper: Keeps the answer: the browser in the path, or the service.
  ///   - isOptional: Whether a request without a body has one without members.
  ///   - limit: The maximum size of the body in bytes.
  ///   - perform: Performs the request with this body. With a key, the transaction of the effect keeps the answer.
  func answerOnce(
    by keeper: some IdempotencyStore, in context: APIContext, isOptional: Bool, upTo limit: Int = BodyLimit.json,
    perform: ([UInt8], RequestKey?) async throws -> PostAnswer
  ) async throws -> Response {
    let text = try idempotencyKey()
    let given = Array(try await bytesOfJSON(in: context, isOptional: isOptional, upTo: limit).readableBytesView)
    let body = isOptional && given.isEmpty ? Array("{}".utf8) : given
    guard let text else { return Response(try await perform(body, nil)) }
    let key = RequestKey(text, digest: digest(of: given), at: keeper.environment.wallClock())
    let (answer, isRepetition) = try await keeper.answerOnce(key) { try await perform(body, key) }
    return isRepetition ? Response(repeating: answer) : Response(answer)
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

  /// Returns a digest of the parts that distinguish requests: the method, the path with its query, and the body.
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
