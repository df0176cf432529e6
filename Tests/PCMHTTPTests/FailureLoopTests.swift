import BrowserSupport
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOConcurrencyHelpers
import PCMCore
import PCMHTTP
import PCMNetwork
import PCMStore
import PCMStorePostgres
import PCMStoreSQLite
import PCMURL
import PostgresSupport
import Testing

/// A story that uses everything is played again and again, and each time another call of the store or of the network fails.
///
/// The failing call ends with a documented problem or has no consequence, the call can be repeated at once, and whatever the
/// service has answered is true.
@Suite(.postgresCluster) struct FailureLoopTests {
  enum StoreKind: CaseIterable {
    case memory, sqlite, postgres
  }

  /// The calls that fail in one run of the tests. `PCM_FAILURES=all` lets each of them fail, `PCM_FAILURE=123` one.
  private static func chosen(of count: Int, usually usualCount: Int) -> [Int] {
    let environment = ProcessInfo.processInfo.environment
    if let one = environment["PCM_FAILURE"].flatMap({ Int($0) }) { return [one] }
    guard environment["PCM_FAILURES"] != "all", count > usualCount else { return Array(1...max(1, count)) }
    // Spread over the whole story, and the same in each run.
    var numbers = SplitMix64(seed: UInt64(count))
    let width = Double(count) / Double(usualCount)
    return (0..<usualCount).map { number in
      1 + min(count - 1, Int((Double(number) + Double(numbers.next() >> 11) / Double(1 << 53)) * width))
    }
  }

  @Test("Each failing call of a store leaves a service that answers the truth", arguments: StoreKind.allCases)
  func store(_ kind: StoreKind) async throws {
    let signer = try TokenSigner()
    let calm = try await Play(kind, signer).run()
    #expect(calm.findings == [])
    #expect(calm.kinds.isSuperset(of: Self.kinds))
    #expect(calm.faults.storeCalls > 500)
    for number in Self.chosen(of: calm.faults.storeCalls, usually: kind == .postgres ? 6 : 24) {
      let play = try await Play(kind, signer, failing: .store(number)).run()
      #expect(play.faults.failed != nil, "call \(number) of the store did not take place")
      for finding in play.findings {
        Issue.record("PCM_FAILURE=\(number) \(kind), \(play.faults.failed ?? "none"): \(finding)")
      }
    }
  }

  /// The steps of the story.
  private static let kinds: Set<String> = [
    "app-registered", "click-stored", "click-held", "click-discarded", "click-expired", "trigger-accepted", "trigger-unmatched",
    "attributed", "report-scheduled", "report-sent", "report-delivered", "report-failed", "token-requested", "token-stored",
    "settings-changed", "clock-advanced", "device-changed", "impression-started", "impression-recorded", "impression-tapped",
    "impression-rejected", "impression-compared", "conversion-started", "conversion-value-accepted", "postback-scheduled",
    "postback-sent", "postback-delivered",
  ]

  /// A name that does not resolve, a connection that breaks, and a response that never comes.
  static let networkFailures: [TransportFailure.Code] = [.nameNotResolved, .connectionLost, .timedOut]

  @Test("Each failing exchange of the network leaves a service that answers the truth", arguments: networkFailures)
  func network(_ code: TransportFailure.Code) async throws {
    let signer = try TokenSigner()
    let calm = try await Play(.memory, signer).run()
    #expect(calm.findings == [])
    #expect(calm.faults.exchanges > 20)
    for number in Self.chosen(of: calm.faults.exchanges, usually: 8) {
      let play = try await Play(.memory, signer, failing: .exchange(number, code)).run()
      #expect(play.faults.failed != nil, "exchange \(number) did not take place")
      for finding in play.findings { Issue.record("exchange \(number), \(code): \(finding)") }
    }
  }
}

/// The call to fail, and the calls so far.
final class Faults: Sendable {
  enum Failing: Sendable {
    case store(Int)
    case exchange(Int, TransportFailure.Code)
  }

  private struct State {
    var storeCalls = 0
    var exchanges = 0
    var failed: String?
  }

  private let failing: Failing?
  private let state = NIOLockedValueBox(State())

  init(_ failing: Failing?) { self.failing = failing }

  var storeCalls: Int { state.withLockedValue { $0.storeCalls } }
  var exchanges: Int { state.withLockedValue { $0.exchanges } }
  /// The call that failed; nil before.
  var failed: String? { state.withLockedValue { $0.failed } }

  var observer: StoreObserver {
    StoreObserver(willCall: { [self] name in
      try state.withLockedValue { state in
        state.storeCalls += 1
        guard case .store(state.storeCalls)? = failing else { return }
        state.failed = name
        throw StoreError.unavailable("the test lets \(name) fail")
      }
    })
  }

  func failure(of request: OutgoingRequest) -> Exchange? {
    state.withLockedValue { state in
      state.exchanges += 1
      guard case .exchange(state.exchanges, let code)? = failing else { return nil }
      state.failed = request.url
      return Exchange(failure: TransportFailure(code, "the test lets the exchange fail"))
    }
  }
}

/// One performance of the story.
private final class Play {
  let faults: Faults
  private(set) var findings: [String] = []
  /// The events of the logs.
  private var logged: [[String: Any]] = []
  /// The kinds of these events.
  var kinds: Set<String> { Set(logged.compactMap { $0["kind"] as? String }) }
  private let base: any Store
  private let folder: URL?
  private let transport: ScriptedTransport
  /// Reading the public suffix list takes longer than the story.
  private static let sites = SiteParser(publicSuffixList: .builtIn())
  /// The calls that were answered with 201, with the path of the created resource.
  private var created: [(step: String, path: String)] = []
  /// The name of the latest record that a call created.
  private var latestID = ""

  init(_ kind: FailureLoopTests.StoreKind, _ signer: TokenSigner, failing: Faults.Failing? = nil) async throws {
    let faults = Faults(failing)
    self.faults = faults
    transport = ScriptedTransport { request, _ in faults.failure(of: request) ?? FailureStory.answer(signer, request) }
    switch kind {
    case .memory: (folder, base) = (nil, MemoryStore())
    case .sqlite:
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pcm-failures-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      (self.folder, base) = (folder, try SQLiteStore(path: folder.appendingPathComponent("browsers.sqlite").path))
    case .postgres:
      let address = try PostgresAddress(PostgresCluster.address())
      (folder, base) = (nil, try await PostgresStore(address, schema: PostgresCluster.newSchema()))
    }
  }

  deinit { if let folder { try? FileManager.default.removeItem(at: folder) } }

  func run() async throws -> Play {
    try await process { api in
      for step in FailureStory.life + (try FailureStory.lifeOfDevice()) { try await self.perform(step, api) }
    }
    // The service starts again over the stored data.
    try await process { api in
      try await self.checkTruth(api)
      for step in FailureStory.death { try await self.perform(step, api) }
      let left = try await self.base.browsers().map(\.name)
      if left != ["default"] { self.findings.append("\(left) are left at the end") }
    }
    try await base.close()
    return self
  }

  /// Starts a service. A start that fails is repeated.
  private func process(_ body: @escaping (API) async throws -> Void) async throws {
    let router: Router<APIContext>
    do {
      router = try await makeRouter()
    } catch is StoreError {
      router = try await makeRouter()
    }
    nonisolated(unsafe) let body = body
    try await Application(router: router).test(.router) { client in try await body(API(client: client)) }
  }

  private func makeRouter() async throws -> Router<APIContext> {
    try await API.router(store: ObservedStore(base, faults.observer), transport: transport, sites: Self.sites)
  }

  // MARK: Calls

  private func perform(_ step: FailureStory.Step, _ api: API) async throws {
    let (wasFailed, before) = (faults.failed != nil, try await eventCounts())
    let answer = try await send(step, api)
    let failsNow = !wasFailed && faults.failed != nil
    if answer.status == step.status { return note(answer, of: step) }
    if wasFailed, answer.status == step.statusAgain { return }
    guard failsNow else { return findings.append("\(step): \(answer.status) \(answer.text)") }
    guard answer.status == 503, try answer.member("code") == "unavailable", try answer.member("retryable") else {
      return findings.append("\(step) failed with \(answer.status) \(answer.text)")
    }
    if !step.isCompound, try await eventCounts() != before { findings.append("\(step) was refused, but had an effect") }
    let again = try await send(step, api)
    if again.status == step.status { return note(again, of: step) }
    if again.status != step.statusAgain { findings.append("\(step), again: \(again.status) \(again.text)") }
  }

  private func send(_ step: FailureStory.Step, _ api: API) async throws -> API.Answer {
    try await api.call(
      step.method, step.path.replacing("{id}", with: latestID), bytes: Array(step.body.utf8), type: step.type,
      headers: step.key.map(HTTPFields.key) ?? [:])
  }

  private func note(_ answer: API.Answer, of step: FailureStory.Step) {
    if answer.status == 201, let id = (try? answer.object)?["id"] as? String { latestID = id }
    // The story removes its site.
    guard answer.status == 201, let location = answer.headers[.location], !location.contains("/sites/") else { return }
    created.append(("\(step)", location))
  }

  /// The lengths of the logs of the browsers.
  private func eventCounts() async throws -> [String: Int64] {
    var counts: [String: Int64] = [:]
    for record in try await base.browsers() {
      counts[record.name] = try await base.read(record.id) { try $0.nextSequence() }
    }
    return counts
  }

  // MARK: Truth

  private func checkTruth(_ api: API) async throws {
    for (step, path) in created {
      let found = try await repeated { try await api.call(.get, path) }
      if found.status != 200 { findings.append("\(step) created \(path), which is gone: \(found.status)") }
    }
    for path in [FailureStory.browser, FailureStory.device] { try await checkLog(of: path, api) }
    try await checkReports()
    try await checkPostbacks()
  }

  private func checkLog(of path: String, _ api: API) async throws {
    let page = try await repeated { try await api.call(.get, "\(path)/events?limit=1000") }
    let events = try page.member("items", as: [[String: Any]].self)
    if events.compactMap({ $0["sequence"] as? Int }) != Array(1...max(1, events.count)) {
      findings.append("the log of \(path) has a gap")
    }
    let instants = events.compactMap { $0["at"] as? String }
    if instants != instants.sorted() { findings.append("the log of \(path) goes back") }
    logged += events
  }

  /// No report leaves without an event, and none leaves twice under `webkit`.
  private func checkReports() async throws {
    let names = attempts("report-sent", of: "reportId")
    if Set(names).count != names.count { findings.append("a report was sent twice") }
    let bodies = await bodies { $0.hasSuffix("/private-click-measurement/report-attribution/") }
    let once = bodies.filter { !$0.contains("shop\(FailureStory.reliable).example") }
    if Set(once).count != once.count { findings.append("the network had a report twice") }
    if bodies.count > names.count { findings.append("\(bodies.count) reports left, but \(names.count) are in the log") }
    let sending = try await base.read(try await browserID("loop")) { try $0.reports(in: .sending, after: 0, limit: 10) }
    if !sending.isEmpty { findings.append("reports are still in flight: \(sending.map(\.id))") }
  }

  /// No postback leaves without an event, and each is delivered in the end.
  private func checkPostbacks() async throws {
    let names = attempts("postback-sent", of: "postbackId")
    if Set(names).count != names.count { findings.append("an attempt of a postback was made twice") }
    let bodies = await bodies { $0 == FailureStory.postbackURL || $0.contains("shop.example/.well-known/skadnetwork/") }
    if bodies.count > names.count { findings.append("\(bodies.count) postbacks left, but \(names.count) are in the log") }
    for state in Postback.State.allCases where state != .delivered {
      let others = try await base.read(try await browserID("phone")) { try $0.postbacks(in: state, after: 0, limit: 10) }
      if !others.isEmpty { findings.append("postbacks are \(state): \(others.map(\.id))") }
    }
  }

  /// The attempts in the logs.
  private func attempts(_ kind: String, of member: String) -> [String] {
    logged.filter { $0["kind"] as? String == kind }.compactMap { event in
      (event["detail"] as? [String: Any]).map { "\($0[member] ?? ""), attempt \($0["attempt"] ?? "")" }
    }
  }

  /// The requests to some URLs, with their bodies.
  private func bodies(to isIncluded: (String) -> Bool) async -> [String] {
    await transport.requests.filter { isIncluded($0.url) }.map { $0.url + String(decoding: $0.body ?? [], as: UTF8.self) }
  }

  private func browserID(_ name: String) async throws -> BrowserID {
    try #require(try await base.browsers().first { $0.name == name }).id
  }

  /// A reading that fails is repeated.
  private func repeated(_ call: () async throws -> API.Answer) async throws -> API.Answer {
    let answer = try await call()
    return answer.status == 503 ? try await call() : answer
  }
}
