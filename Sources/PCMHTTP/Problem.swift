import HTTPTypes
import Hummingbird
import PCMBrowser
import PCMCore
import PCMStore

/// An error response of the API: a problem document (RFC 9457), with a JSON pointer for each invalid member.
struct Problem: Error {
  /// The stable code, which is also the last part of `type`.
  let code: String
  let title: String
  let status: HTTPResponse.Status
  let detail: String
  var errors: [JSON] = []
  var headers: HTTPFields = [:]
  /// The identifier of the request; nil without a complete request, and for a request within the process.
  var requestID: String?

  /// Whether the same request may succeed later.
  var isRetryable: Bool {
    status == .serviceUnavailable && code != Self.unreadableCode && code != Self.unknownOutcomeCode
      || code == Self.clockMoving.code
  }

  var json: JSON {
    var members: [JSON.Member] = [
      .init("type", .string("urn:pcm-browser:problem:\(code)")),
      .init("code", .string(code)),
      .init("title", .string(title)),
      .init("status", .number(Int64(status.code))),
      .init("detail", .string(detail)),
      .init("retryable", .bool(isRetryable)),
    ]
    if let requestID { members.append(.init("requestId", .string(requestID))) }
    if !errors.isEmpty { members.append(.init("errors", .array(errors))) }
    return .object(members)
  }

  var response: Response {
    var response = Response(json: json, status: status, mediaType: "application/problem+json")
    for field in headers { response.headers[field.name] = field.value }
    return response
  }
}

extension Problem {
  static func malformed(_ detail: String) -> Problem {
    Problem(code: "malformed", title: "Malformed request", status: .badRequest, detail: detail)
  }

  static func invalid(_ detail: String, errors: [JSON] = []) -> Problem {
    Problem(
      code: "invalid", title: "Invalid request", status: .unprocessableContent, detail: detail, errors: errors)
  }

  static func invalid(_ errors: [InputError]) -> Problem {
    let details = errors.map { ($0.path.isEmpty ? "" : "\($0.path.joined(separator: ".")): ") + $0.detail }
    // A semicolon takes the place of the period that some details end with.
    let clauses = details.dropLast().map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 } + details.suffix(1)
    return invalid(clauses.joined(separator: "; "), errors: errors.map(\.json))
  }

  static func invalidParameter(
    _ name: String, _ detail: String, _ code: InputError.Code = .invalidValue
  ) -> Problem {
    invalidParameter(name, InputError([], detail, code))
  }

  static func invalidParameter(_ name: String, _ error: InputError) -> Problem {
    let entry: JSON = ["parameter": .string(name), "detail": .string(error.detail), "code": .string(error.code)]
    return invalid("\(name): \(error.detail)", errors: [entry])
  }

  static func invalidKey() -> Problem {
    Problem(
      code: "idempotency-key-invalid", title: "Invalid idempotency key", status: .badRequest,
      detail: "Idempotency-Key: expected one value of 1 to 255 printable ASCII characters")
  }

  static func notFound(_ detail: String) -> Problem {
    Problem(code: "not-found", title: "Not found", status: .notFound, detail: detail)
  }

  /// - Parameter nearest: The path that the caller probably means, with its methods; nil when none is similar.
  static func unknownPath(_ path: String, nearest: NearestPath.Match?) -> Problem {
    let resource = "there is no resource \"\(path.asShown(upTo: 200))\""
    guard let nearest else { return .notFound(resource) }
    let methods = nearest.methods.map(\.rawValue).joined(separator: " or ")
    return .notFound("\(resource); did you mean \(methods) \(nearest.path.asShown(upTo: 200))?")
  }

  /// A browser with an invalid name cannot exist.
  private static func unknownBrowser(_ name: BrowserName, wasIdle: Bool) -> Problem {
    if let error = name.error { return .invalidParameter("browser", error) }
    let reason = wasIdle ? ": it was removed after its idleTimeout" : ""
    return .notFound("there is no browser \"\(name.text)\"\(reason); PUT \(name.path) creates it")
  }

  private static let unreadableCode = "browser-unreadable"
  private static let unknownOutcomeCode = "outcome-unknown"

  static func methodNotAllowed(_ method: String, allowed: [HTTPRequest.Method]) -> Problem {
    let list = allowed.map(\.rawValue).joined(separator: ", ")
    return Problem(
      code: "method-not-allowed", title: "Method not allowed", status: .methodNotAllowed,
      detail: "\(method) is not supported by this resource; use one of \(list)", headers: [.allow: list])
  }

  static func tooLarge(limit: Int) -> Problem {
    Problem(
      code: "too-large", title: "Body too large", status: .contentTooLarge,
      detail: "the maximum size of this body is \(limit) bytes")
  }

  static func wrongMediaType(_ given: String?, wanted: [String]) -> Problem {
    Problem(
      code: "wrong-media-type", title: "Unsupported media type", status: .unsupportedMediaType,
      detail: "the Content-Type is \(given ?? "missing"); send \(wanted.joined(separator: " or "))")
  }

  private static let unexpectedCode = "internal"

  /// Whether no case of the service's errors describes it.
  var isUnexpected: Bool { code == Self.unexpectedCode }

  private static let busyCode = "busy"

  /// Whether the request exceeds a limit for the moment, which is no error of the service.
  var isBusy: Bool { code == Self.busyCode }

  /// The problem of a call that exceeds a limit for the moment.
  static func busy(_ detail: String) -> Problem {
    Problem(
      code: busyCode, title: "Busy", status: .serviceUnavailable, detail: detail, headers: [.retryAfter: "1"])
  }

  fileprivate static let clockMoving = Problem(
    code: "clock-moving", title: "Clock is moving", status: .conflict,
    detail: "another call moves the clock of this browser; try again after it, or move the clock in one place only")

  /// Creates the problem for an error that a route throws.
  init(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case BodyError.malformed: self = .malformed("the body is not valid JSON in UTF-8")
    case BodyError.invalid(let errors): self = .invalid(errors)
    case let error as BrowserError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as HTTPError: self.init(error)
    case is CancellationError:
      self.init(
        code: "cancelled", title: "Canceled", status: .serviceUnavailable,
        detail: "the call was canceled before it started; nothing was changed, try again")
    case is CallerDisconnected:
      // Only the metrics see it. The status is nginx's.
      self.init(
        code: "caller-disconnected", title: "Client closed request",
        status: HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request"),
        detail: "the caller closed the connection before the response")
    default:
      self.init(
        code: Self.unexpectedCode, title: "Internal error", status: .internalServerError,
        detail: "an unexpected error occurred; see the service's log")
    }
  }

  /// Creates the problem for an error of Hummingbird: an unknown path, or a request that it cannot read.
  private init(_ error: HTTPError) {
    self =
      switch error.status {
      case .notFound: .notFound("the resource does not exist")
      default: .malformed(error.body ?? error.status.reasonPhrase)
      }
  }

  private init(_ error: BrowserError) {
    switch error {
    case .invalidInput(let errors): self = .invalid(errors)
    case .unknownBrowser(let name, let wasIdle): self = .unknownBrowser(BrowserName(name), wasIdle: wasIdle)
    case .unknownAdNetwork(let id): self = .notFound("no ad network \"\(id)\" is registered on this device")
    case .unknownImpression(let id):
      self = .notFound("the device has no ad \"\(id)\": its view ended, it was rejected, or it never existed")
    case .unknownPostback(let id): self = .notFound("there is no postback \"\(id)\" on this device")
    case .unknownCard(let id): self = .notFound("the app has no card \"\(id.asShown(upTo: 255))\"; PUT …/cards sends one")
    case .unknownReport(let id): self = .notFound("there is no report \"\(id)\" in this browser")
    case .unknownApp(let id):
      self = .notFound("no app \"\(id)\" is registered in this browser; PUT …/apps/\(id) registers it")
    case .unknownSite(let host): self = .notFound("this browser has no simulated site \"\(host)\"; PUT creates it")
    case .unknownSubject(let kind, let name): self = .notFound("the log of this browser contains no \(kind) \"\(name)\"")
    case .clockMoving: self = .clockMoving
    case .busy: self = .busy("another instance moves the clock of this browser, or copies it; try again after it")
    case .conflict(let detail):
      self.init(code: "conflict", title: "Conflict", status: .conflict, detail: detail)
    case .limitReached(let detail):
      self.init(code: "limit-reached", title: "Limit reached", status: .conflict, detail: detail)
    case .keyReused(let key):
      self.init(
        code: "idempotency-key-reused", title: "Idempotency key reused", status: .conflict,
        detail:
          "the Idempotency-Key \"\(key)\" belongs to a request with another path or body; send a new key with each request")
    case .noHistory(let missing): self.init(missing)
    case .requestInterrupted(let key, let instant, let clock):
      self.init(
        code: "request-interrupted", title: "Request interrupted", status: .conflict,
        detail:
          "the request\(key.map { " with the Idempotency-Key \"\($0)\"" } ?? "") began at \(instant.text) and was interrupted before "
          + "its answer; the browser's events contain its effects, and \(key == nil ? "a repetition" : "a new key") performs the "
          + "request again"
          + (clock.map { "; the clock shows \($0.text), and an advance with \"to\" is safe to repeat" } ?? ""))
    }
  }

  private init(_ error: StoreError) {
    switch error {
    case .unknownBrowser: self = .notFound("the browser was deleted in the meantime")
    case .browserExists(let name):
      self.init(
        code: "conflict", title: "Conflict", status: .conflict, detail: "a browser \"\(name)\" already exists")
    case .keptAlready: self.init(code: "conflict", title: "Conflict", status: .conflict, detail: "\(error)")
    case .tooManyBrowsers:
      self.init(code: "limit-reached", title: "Limit reached", status: .conflict, detail: "\(error); delete browsers")
    case .unreadable:
      self.init(
        code: Self.unreadableCode, title: "Browser unreadable", status: .serviceUnavailable,
        detail: "\(error); DELETE /v1/browsers/{browser} removes the browser, and a backup restores it")
    case .missingFile:
      self.init(
        code: "data-missing", title: "Data missing", status: .serviceUnavailable,
        detail: "the data folder of the service was moved or removed; move it back, or restart the service")
    case .full:
      self.init(
        code: "storage-full", title: "Storage full", status: .serviceUnavailable,
        detail:
          "the database has the maximum size, or its disk is full, and nothing was stored; free space on its disk, delete "
          + "browsers or their data, or, with a data folder, start the service with a larger --max-disk")
    case .unknownOutcome:
      self.init(
        code: Self.unknownOutcomeCode, title: "Outcome unknown", status: .serviceUnavailable,
        detail:
          "the connection to the store was lost during the commit, and its result cannot be read; repeat the request with its "
          + "Idempotency-Key, or first read whether it took effect")
    case .unstorableTime(let time):
      self.init(
        code: "unavailable", title: "Store unavailable", status: .serviceUnavailable,
        detail:
          "the time \(time.text) is not in the years 1970 to 9999, and nothing was stored; set the clock of the service's machine"
      )
    case .notReady:
      self.init(
        code: "unavailable", title: "Store unavailable", status: .serviceUnavailable, detail: "\(error)",
        headers: [.retryAfter: "1"])
    case .closed, .unavailable, .otherVersion, .foreignFile, .brokenOwnerFile:
      self.init(
        code: "unavailable", title: "Store unavailable", status: .serviceUnavailable,
        detail: "the request was not completed: \(error); try again later", headers: [.retryAfter: "1"])
    }
  }
}

extension InputError {
  /// The path as an RFC 6901 pointer.
  fileprivate var json: JSON {
    ["pointer": .string(JSONPointer.text(path)), "detail": .string(detail), "code": .string(code)]
  }
}

extension Response {
  /// Creates a response of JSON and a line feed, after which the prompt of a terminal begins a line.
  ///
  /// - Parameter location: The path of a created resource.
  init(json: JSON, status: HTTPResponse.Status = .ok, mediaType: String = "application/json", location: String? = nil) {
    let bytes = json.bytes + [UInt8(ascii: "\n")]
    self.init(
      status: status, headers: [.contentType: mediaType, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    if let location { headers[.location] = location }
  }

  init(text: String, mediaType: String = "text/plain; charset=utf-8") {
    self.init(
      status: .ok, headers: [.contentType: mediaType, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
