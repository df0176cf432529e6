import AsyncHTTPClient
public import Foundation

/// A call that the service refused, or did not answer. Prints as text that says what to do.
public struct ServiceError: Error, Hashable, Sendable {
  /// The HTTP status; nil when no answer came.
  public let status: Int?
  /// The stable name of the problem, the last part of its `type`: `invalid`, `not-found`, `conflict`… When no answer
  /// came, `unreachable` or `timed-out`.
  public let name: String?
  /// What kind of problem it is, in a few words.
  public let title: String
  /// What is wrong this time.
  public let detail: String
  /// The members and parameters that are wrong.
  public let errors: [Fault]
  /// The call: method and URL.
  public let request: String

  /// One thing that is wrong with a request.
  public struct Fault: Hashable, Sendable, Decodable {
    /// Where in the body, as an RFC 6901 pointer: `/sourceIdentifier`. Nil when it is not in the body.
    public let pointer: String?
    /// Which parameter of the URL. Nil when it is in the body.
    public let parameter: String?
    /// What is wrong, for people.
    public let detail: String
    /// A stable name, for a few of them: `app-unknown`.
    public let code: Reason.Code?
  }

  /// The pointers of all errors in the body.
  public var pointers: [String] { errors.compactMap(\.pointer) }
}

extension ServiceError: CustomStringConvertible, LocalizedError {
  /// The call, the problem, every fault on a line of its own, and advice where there is some.
  public var description: String {
    let outcome = status.map { "answered \($0): \(title)" } ?? title
    let places = errors.map { "\n  \($0.pointer ?? $0.parameter ?? ""): \($0.detail)" }.joined()
    return "\(request) \(outcome)" + (errors.isEmpty ? "\n  \(detail)" : places) + (advice.map { "\n  \($0)" } ?? "")
  }

  /// The same as `description`.
  public var errorDescription: String? { description }

  private var advice: String? {
    switch status {
    case nil where name == Self.unreachable:
      "Start the service with `pcm-browser serve`, or set PCM_BROWSER_URL to the URL at which it listens."
    case 401: "Set PCM_BROWSER_API_TOKEN to the service's token, or hand it to PCMService(url:token:)."
    case 421: "Start the service with --allowed-host and the name by which you call it."
    default: nil
    }
  }
}

extension ServiceError {
  /// From an answer that is no success, a problem document or not.
  init(status: Int, body: Data, request: String) {
    let problem = try? Wire.decoder.decode(Problem.self, from: body)
    self.init(
      status: status, name: problem?.type?.split(separator: ":").last.map(String.init),
      title: problem?.title ?? "no problem document", detail: problem?.detail ?? Self.excerpt(of: body),
      errors: problem?.errors ?? [], request: request)
  }

  init(noAnswerFrom service: PCMService, request: String, because error: any Error) {
    let isLate = error as? HTTPClientError == .deadlineExceeded
    self.init(
      status: nil, name: isLate ? "timed-out" : Self.unreachable,
      title: isLate ? "got no answer in time" : "got no answer: nothing that works listens at \(service.url)",
      detail: isLate ? "PCMService(timeout:) allows \(service.timeout) a call" : "\(error)", errors: [], request: request)
  }

  init(unreadable body: Data, request: String, because error: any Error) {
    self.init(
      status: 200, name: nil, title: "an answer that this client cannot read (\(error))", detail: Self.excerpt(of: body),
      errors: [], request: request)
  }

  private static let unreachable = "unreachable"

  private static func excerpt(of body: Data) -> String {
    String(decoding: body.prefix(500), as: UTF8.self)
  }

  private struct Problem: Decodable {
    let type: String?
    let title: String?
    let detail: String?
    let errors: [Fault]?
  }
}
