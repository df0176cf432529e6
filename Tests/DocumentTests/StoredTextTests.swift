import BrowserSupport
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import PCMCore
import PCMStoreSQLite
import Testing

/// Text from callers is either rejected or the same, byte for byte, after a restart.
@Suite struct StoredTextTests {
  /// Texts that a layer between the request and the file could cut, normalize, trim, or misread.
  private static let texts = [
    "plain", "a\0b", "\0", "a\0", "\u{1}\u{1F}", "\u{7F}", "\r\n\t", " a ", "é", "e\u{301}", "\u{FEFF}a", "a\u{FEFF}", "👩‍💻",
    "\u{2028}\u{202E}", "\u{FFFF}", "\u{10FFFF}", "\"\\/", "\\u0000", "%00", "'; --", "null", "1e3", "",
    String(repeating: "ü", count: 100),
  ]

  @Test func specificationsComeBackAfterARestart() async throws { try await expectSameAfterRestart(TextFields.specification) }

  @Test func appsComeBackAfterARestart() async throws { try await expectSameAfterRestart(TextFields.apps) }

  @Test func sitesComeBackAfterARestart() async throws { try await expectSameAfterRestart(TextFields.sites) }

  @Test func inputsComeBackAfterARestart() async throws { try await expectSameAfterRestart(TextFields.inputs) }

  @Test func textsOfDevicesComeBackAfterARestart() async throws { try await expectSameAfterRestart(TextFields.device) }

  /// Otherwise, a text that the API accepts would be missing here.
  @Test func eachTextOfTheDocumentIsTested() async throws {
    try await API.test { api in
      let document = try await OpenAPIDocument(api)
      let sent = try TextFields.all.map { try $0.request($0.root("b"), "marker") }
      #expect(try document.textMembers(notIn: sent, text: "marker") == [])
    }
  }

  @Test func keptAnswersComeBackAfterARestart() async throws {
    let file = TemporaryDatabase()
    let answers: @Sendable (API) async throws -> [API.Answer] = { api in
      var answers: [API.Answer] = []
      for (number, text) in Self.texts.enumerated() {
        let body = JSON.object(TextFields.link.members + [.init("attributionSourceNonce", .string(text))])
        let path = "/v1/browsers/default/link-clicks"
        let key = HTTPFields.key("\(number) ~!\"'\\;")
        answers.append(try await api.call(.post, path, bytes: body.bytes, type: "application/json", headers: key))
      }
      return answers
    }
    let before = try await file.serve(answers)
    let after = try await file.serve(answers)
    let replayed = try #require(HTTPField.Name("Idempotent-Replayed"))
    for (first, second) in zip(before, after) {
      #expect(first.status == 201 && second.status == 201 && first.bytes == second.bytes, "\(first.text)")
      #expect(first.headers[replayed] == nil && second.headers[replayed] == "true")
      #expect(first.headers[.location] == second.headers[.location])
    }
  }

  private func expectSameAfterRestart(_ fields: [TextField]) async throws {
    let file = TemporaryDatabase()
    let before = try await file.serve { api in
      for (index, field) in fields.enumerated() { try await Self.send(field, index, api) }
      return try await Self.resources(api)
    }
    let after = try await file.serve(Self.resources)
    #expect(before.keys.sorted() == after.keys.sorted())
    for (path, bytes) in before where after[path] != bytes {
      let (old, new) = (String(decoding: bytes, as: UTF8.self), String(decoding: after[path] ?? [], as: UTF8.self))
      Issue.record("\(path)\nbefore \(old)\nafter \(new)")
    }
  }

  /// Sends all texts.
  private static func send(_ field: TextField, _ index: Int, _ api: API) async throws {
    for (number, text) in (texts + field.more).enumerated() {
      let root = field.root(field.browser == .shared || field.browser == .device ? "\(index)" : "\(index)-\(number)")
      if number == 0 || field.browser == .separate { try await prepare(field.browser, root, api) }
      try await send(field, text, number, to: root, api)
    }
    guard field.browser == .device else { return }
    // The windows of the conversions end, and their postbacks are sent.
    let advanced = try await api.call(.post, "\(field.root("\(index)"))/clock/advance", #"{"by":"P7D"}"#)
    #expect(advanced.status == 200, "\(advanced.text)")
  }

  private static func prepare(_ browser: TextField.Target, _ root: String, _ api: API) async throws {
    guard browser != .new, browser != .generated else { return }
    #expect(try await api.call(.put, root, #"{"seed":"1","clock":{"mode":"manual"}}"#).status == 201)
    if browser == .device {
      let tap = "\(root)/impressions/\(try await api.prepareDevice(root))/tap"
      let tapped = try await api.call(.post, tap, #"{"reengagementURL":"https://shop.example/"}"#)
      #expect(try tapped.member("outcome") == "reengaged", "\(tapped.text)")
    } else {
      let app = #"{"reportEndpoint":"https://news.example"}"#
      #expect(try await api.call(.put, "\(root)/apps/com.example.news", app).status == 200)
    }
    if browser == .shared { #expect(try await api.call(.put, "\(root)/network", #"{"mode":"simulated"}"#).status == 200) }
  }

  /// Sends a text, and reads it again when it was accepted.
  private static func send(_ field: TextField, _ text: String, _ number: Int, to root: String, _ api: API) async throws {
    let request = try field.request(root, text)
    var path = request.path.replacing("{number}", with: "\(number)")
    if path.contains("{impression}") {
      let displayed = try await api.call(.post, "\(root)/impressions", try DeviceAds.jws(reengagement: true))
      path = path.replacing("{impression}", with: try displayed.member("id", as: String.self))
    }
    let answer = try await api.call(request.method, path, request.body)
    let allowed = [200, 201, 400, 404, 405, 415, 422]
    #expect(allowed.contains(answer.status), "\(field.name) \(text.debugDescription): \(answer.text)")
    #expect(answer.status <= 201 || !field.more.contains(text), "\(field.name) \(text): \(answer.text)")
    guard answer.status <= 201, let echo = field.echo else { return }
    let resource = field.name == "name" ? BrowserName(text).path : root + echo.replacing("{number}", with: "\(number)")
    let found = try await api.call(.get, resource)
    let isFound = Data(found.bytes).range(of: Data(JSON.string(text).bytes)) != nil
    #expect(isFound, "\(field.name) \(text.debugDescription): \(found.text)")
  }

  /// All that the service returns about its browsers, by path.
  private static func resources(_ api: API) async throws -> [String: [UInt8]] {
    var resources: [String: [UInt8]] = [:]
    // Foundation's decoder would remove byte order marks.
    let browsers = try #require(JSON(parsing: try await api.call(.get, "/v1/browsers?limit=1000").bytes))
    #expect(browsers["next"] == .null)
    for browser in browsers["items"]?.items ?? [] {
      let name = BrowserName(browser["name"]?.string ?? "")
      for path in lists.map({ name.path + $0 }) + deviceLists.map({ name.devicePath + $0 }) {
        resources[path] = try await pages(path, api)
      }
      for path in [name.path, name.path + "/network", name.devicePath] {
        let answer = try await api.call(.get, path)
        #expect(answer.status == 200, "\(answer.text)")
        resources[path] = answer.bytes
      }
      // Not every history is a scenario. A problem has the identifier of its request.
      let scenario = try await api.call(.get, name.path + "/scenario")
      resources[name.path + "/scenario"] = scenario.status == 200 ? scenario.bytes : []
    }
    return resources
  }

  private static let lists = [
    "/apps?", "/sites?", "/clicks?", "/triggering-events?", "/attributions?", "/reports?include=body&",
    "/events?include=decision&",
  ]
  private static let deviceLists = [
    "/ad-networks?", "/impressions?", "/installs?", "/postbacks?include=body&", "/sdk-requests?",
  ]

  /// All pages of a list.
  private static func pages(_ path: String, _ api: API) async throws -> [UInt8] {
    var (bytes, cursor) = ([UInt8](), "")
    while true {
      let answer = try await api.call(.get, path + "limit=1000" + cursor)
      #expect(answer.status == 200, "\(answer.text)")
      bytes += answer.bytes
      let page = JSON(parsing: answer.bytes, keepingNumbers: true)
      guard let next = page?["next"]?.string else { return bytes }
      cursor = "&cursor=\(next)"
    }
  }
}

/// A database that is opened several times, and removed in the end.
private final class TemporaryDatabase: Sendable {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pcm-texts-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Serves the API on the database until the body returns.
  func serve<Result: Sendable>(_ body: @escaping @Sendable (API) async throws -> Result) async throws -> Result {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = try SQLiteStore(path: folder.appendingPathComponent("browsers.sqlite").path)
    let router = try await API.router(store: store)
    let result = try await Application(router: router).test(.router) { try await body(API(client: $0)) }
    try await store.close()
    return result
  }
}
