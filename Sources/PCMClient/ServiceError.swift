import AsyncHTTPClient
public import Foundation

/// An error response, or no response. The description includes the remedy.
public struct ServiceError: Error, Hashable, Sendable {
  /// The HTTP status; nil without a response.
  public let status: Int?
  /// The stable name of the problem, the last part of its `type`: `invalid`, `not-found`, `conflict`… Without a response,
  /// `unreachable` or `timed-out`, or `invalid` for a request that was not sent.
  public let name: String?
  /// The title of the problem.
  public let title: String
  /// The details of this occurrence.
  public let detail: String
  /// The invalid members and parameters.
  public let errors: [Fault]
  /// The method and URL of the call.
  public let request: String

  /// An error in a request.
  public struct Fault: Hashable, Sendable, Decodable {
    /// The location in the body as an RFC 6901 pointer: `/sourceIdentifier`. Nil when the error is not in the body.
    public let pointer: String?
    /// The parameter of the URL. Nil when the error is in the body.
    public let parameter: String?
    /// A description for people.
    public let detail: String
    /// A stable code for some errors: `app-unknown`.
    public let code: Reason.Code?
  }

  /// The pointers of all errors in the body.
  public var pointers: [String] { errors.compactMap(\.pointer) }
}

extension ServiceError: CustomStringConvertible, LocalizedError {
  /// The call, the problem, each error on a separate line, and advice if available.
  public var description: String {
    let outcome = status.map { "returned \($0): \(title)" } ?? title
    let places = errors.map { "\n  \($0.pointer ?? $0.parameter ?? ""): \($0.detail)" }.joined()
    return "\(request) \(outcome)" + (errors.isEmpty ? "\n  \(detail)" : places) + (advice.map { "\n  \($0)" } ?? "")
  }

  /// The same as `description`.
  public var errorDescription: String? { description }

  private var advice: String? {
    switch status {
    case nil where name == Self.unreachable:
      "Start the service with `pcm-browser serve`, or set PCM_BROWSER_URL to the URL at which it listens."
    case 401: "Set PCM_BROWSER_API_TOKEN to the service's token, or pass it to PCMService(url:token:)."
    case 421: "Start the service with --allowed-host and the host name of its URL."
    default: nil
    }
  }
}

extension ServiceError {
  /// Creates an error from a response that is not successful, with or without a problem document.
  init(status: Int, body: Data, request: String) {
    let problem = try? Wire.decoder.decode(Problem.self, from: body)
    self.init(
      status: status, name: problem?.type?.split(separator: ":").last.map(String.init),
      title: problem?.title ?? "no problem document", detail: problem?.detail ?? Self.excerpt(of: body),
      errors: problem?.errors ?? [], request: request)
  }

  init(noResponseFrom service: PCMService, request: String, because error: any Error) {
    let isLate = error as? HTTPClientError == .deadlineExceeded
    self.init(
      status: nil, name: isLate ? "timed-out" : Self.unreachable,
      title: isLate ? "received no response before the timeout" : "received no response: no service listens at \(service.url)",
      detail: isLate ? "PCMService(timeout:) allows \(service.timeout) per call" : "\(error)", errors: [], request: request)
  }

  init(unreadable body: Data, request: String, because error: any Error) {
    self.init(
      status: 200, name: nil, title: "a response that this client cannot decode (\(error))", detail: Self.excerpt(of: body),
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
