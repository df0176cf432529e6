import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOConcurrencyHelpers
import PCMBrowser
import PCMStore
import Testing

@testable import PCMHTTP

/// The identifier of a request in its response, its problem document, and the log.
@Suite struct RequestIdentifierTests {
  /// Keeps the identifiers of the requests whose failure is logged.
  private struct FailureLog: LogHandler {
    var logLevel = Logger.Level.error
    var metadata: Logger.Metadata = [:]
    let requests: NIOLockedValueBox<[String]>
    let causes: NIOLockedValueBox<[Logger.Metadata]>

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: Logging.LogEvent) {
      guard let request = metadata["hb.request.id"] else { return }
      requests.withLockedValue { $0.append("\(event.message): \(request)") }
      causes.withLockedValue { $0.append(event.metadata ?? [:]) }
    }
  }

  @Test("Every response has its own identifier", arguments: [nil, "secret"])
  func header(_ token: String?) async throws {
    let router = try await API.router(access: AccessRules(hosts: nil, token: token))
    let name = try #require(HTTPField.Name("Request-Id"))
    var seen: Set<String> = []
    for path in ["/healthz", "/v1/browsers", "/openapi.json", "/v1/browsers/none", "/nothing", "/v1/browsers?limit=0"] {
      let answer = try await API.answer(of: router) { try await $0.call(.get, path) }
      let requestID = try #require(answer.headers[name], "\(path)")
      #expect(seen.insert(requestID).inserted, "\(path)")
      guard answer.status >= 400 else { continue }
      #expect(try answer.member("requestId") == requestID, "\(path)")
    }
    let wrongMethod = try await API.answer(of: router) { try await $0.call(.patch, "/v1/browsers") }
    #expect(try wrongMethod.member("requestId") == wrongMethod.headers[name])
  }

  @Test("The log line of a failed request has the identifier of its problem document")
  func log() async throws {
    let (store, requests) = (MemoryStore(), NIOLockedValueBox<[String]>([]))
    let causes = NIOLockedValueBox<[Logger.Metadata]>([])
    let logger = Logger(label: "test") { _ in FailureLog(requests: requests, causes: causes) }
    let router = try await API.router(store: store)
    try await store.close()
    try await Application(router: router, logger: logger).test(.router) { client in
      let answer = try await API(client: client).call(.put, "/v1/browsers/new", "{}")
      #expect(try answer.member("code") == "unavailable")
      let requestID: String = try answer.member("requestId")
      #expect(requests.withLockedValue { $0 } == ["request failed: \(requestID)"])
      let path = "/v1/browsers/new"
      let expected: Logger.Metadata = ["code": "unavailable", "detail": "the store is closed", "path": "\(path)"]
      #expect(causes.withLockedValue { $0 } == [expected])
    }
  }

  /// An error that no part of the service describes.
  private struct Undescribed: Error {
    let secret = "private"
  }

  @Test("The log has the code and the detail of an error, and no members of a Swift value")
  func loggedText() {
    let problem = Problem.busy("too many calls wait")
    #expect(Logger.Metadata(error: problem) == ["code": "busy", "detail": "too many calls wait"])
    let store = StoreError.unavailable("disk I/O error")
    #expect(Logger.Metadata(error: store) == ["code": "unavailable", "detail": "disk I/O error"])
    let browser = BrowserError.conflict("the clock is real")
    #expect(Logger.Metadata(error: browser) == ["code": "conflict", "detail": "the clock is real"])
    #expect(Logger.Metadata(error: Undescribed()) == ["detail": "an unexpected error of the type Undescribed"])
  }

  @Test("A request within the process has no identifier, because it would differ in each run")
  func noIdentifier() async throws {
    let api = InProcessAPI(try await API.metered(), logger: Logger(label: "test"))
    let response = try await api.call("GET", "/v1/browsers/none", body: [], mediaType: "")
    let problem = try JSONValue(response.body)
    #expect(problem["code"] == .string("not-found"))
    #expect(problem["requestId"] == nil)
  }
}
