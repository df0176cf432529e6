public import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An error response, or no response. The description includes the remedy.
///
/// ```swift
/// do {
///   _ = try await service.browser("missing")
/// } catch let error as ServiceError {
///   #expect(error.status == 404 && error.code == "not-found")
/// }
/// ```
public struct ServiceError: Error, Hashable, Sendable {
  /// The HTTP status; nil without a response.
  public let status: Int?
  /// The stable code of the problem: `invalid`, `not-found`, `conflict`… Without a response, `unreachable` or `timed-out`,
  /// or `invalid` for a request that was not sent.
  public let code: String?
  /// The title of the problem.
  public let title: String
  /// The details of this occurrence.
  public let detail: String
  /// The invalid members and parameters.
  public let errors: [Fault]
  /// The method and URL of the call.
  public let request: String
  /// Whether the service returned an error after which the same call may succeed, such as a full or stopping service.
  /// Without a response it is false, because the call may have taken effect.
  public let isRetryable: Bool
  /// The identifier of the request in the service's log; nil without a problem document.
  public let requestID: String?

  init(
    status: Int?, code: String?, title: String, detail: String, errors: [Fault] = [], request: String,
    isRetryable: Bool = false, requestID: String? = nil
  ) {
    self.status = status
    self.code = code
    self.title = title
    self.detail = detail
    self.errors = errors
    self.request = request
    self.isRetryable = isRetryable
    self.requestID = requestID
  }

  /// An error in a request.
  public struct Fault: Hashable, Sendable, Decodable {
    /// The location in the body as an RFC 6901 pointer: `/sourceIdentifier`. Nil when the error is not in the body.
    public let pointer: String?
    /// The parameter of the URL. Nil when the error is in the body.
    public let parameter: String?
    /// A description for people.
    public let detail: String
    /// The stable code.
    public let code: Code

    /// The stable code of an error in a request.
    public struct Code: Term {
      /// The string in the service's JSON.
      public let rawValue: String

      /// Creates a value from any string, known or not.
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  /// The pointers of all errors in the body.
  public var pointers: [String] { errors.compactMap(\.pointer) }
}

extension ServiceError.Fault.Code {
  /// A required member is absent.
  public static let missing = Self("missing")
  /// The body has no member of this name.
  public static let unknownMember = Self("unknown-member")
  /// The member occurs more than once.
  public static let duplicateMember = Self("duplicate-member")
  /// The members exclude each other.
  public static let conflictingMembers = Self("conflicting-members")
  /// The value is of another JSON type.
  public static let wrongType = Self("wrong-type")
  /// The value is too small or too large.
  public static let outOfRange = Self("out-of-range")
  /// The value has another error.
  public static let invalidValue = Self("invalid-value")
  /// The resource has no query parameter of this name.
  public static let unknownParameter = Self("unknown-parameter")
  /// The query parameter occurs more than once.
  public static let repeatedParameter = Self("repeated-parameter")
  /// The text is not YAML or JSON.
  public static let malformed = Self("malformed")
  /// The app is not registered.
  public static let appUnknown = Self("app-unknown")
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
    case nil where code == Self.unreachable:
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
      status: status, code: problem?.code,
      title: problem?.title ?? "no problem document", detail: problem?.detail ?? Self.excerpt(of: body),
      errors: problem?.errors ?? [], request: request, isRetryable: problem?.retryable ?? false, requestID: problem?.requestID)
  }

  init(noResponseFrom service: PCMService, request: String, because error: any Error) {
    let isLate = (error as? URLError)?.code == .timedOut
    self.init(
      status: nil, code: isLate ? "timed-out" : Self.unreachable,
      title: isLate ? "received no response before the timeout" : "received no response: no service listens at \(service.url)",
      detail: isLate ? "PCMService(timeout:) allows \(service.timeout) per call" : error.localizedDescription, request: request)
  }

  init(unreadable body: Data, request: String, because error: any Error) {
    self.init(
      status: 200, code: nil, title: "a response that this client cannot decode (\(error))", detail: Self.excerpt(of: body),
      request: request)
  }

  private static let unreachable = "unreachable"

  private static func excerpt(of body: Data) -> String {
    String(decoding: body.prefix(500), as: UTF8.self)
  }

  private struct Problem: Decodable {
    let code: String?
    let title: String?
    let detail: String?
    let errors: [Fault]?
    let retryable: Bool?
    let requestID: String?
  }
}
