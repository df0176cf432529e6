import Foundation
import NIOConcurrencyHelpers
import PCMBrowser
import ServiceSupport
import TLSSupport
import Testing

/// kill -9 between an acknowledged click and its delivered report: nothing acknowledged is lost, and under `webkit` no
/// half is sent twice.
@Suite(.serialized) struct KillTests {
  /// Where the process is killed.
  enum Moment: CaseIterable {
    case afterClick, duringTrigger, afterTrigger, duringAdvance, atHead, atBody, afterAnswer
  }

  /// The server's side of one round: counts the requests and kills the service at the right one.
  private final class Trap: Sendable {
    let victim = NIOLockedValueBox<ServiceProcess?>(nil)
    private let seen = NIOLockedValueBox(0)
    private let moment: Moment
    /// On which request the trap springs.
    private let request: Int

    init(_ moment: Moment, request: Int) {
      self.moment = moment
      self.request = request
    }

    func spring() { victim.withLockedValue { $0?.kill() } }

    func head() {
      let count = seen.withLockedValue { count in
        count += 1
        return count
      }
      if moment == .atHead, count == request { spring() }
    }

    func body() {
      if moment == .atBody, seen.withLockedValue({ $0 }) == request { spring() }
    }
  }

  /// 28 points, drawn from one seed: each moment four times, at the first or the second report.
  private static let rounds: [(number: Int, moment: Moment, request: Int)] = {
    var streams = RandomStreams(seed: "kill -9")
    return (0..<28).map { number in
      (number, Moment.allCases[number % Moment.allCases.count], streams.unit(.spacing) < 0.5 ? 1 : 2)
    }
  }()

  @Test(
    "killed at 28 points, started again: everything acknowledged is there, and no half goes out twice",
    arguments: ["webkit", "reliable"])
  func killedAndStartedAgain(_ policy: String) async throws {
    let authority = try TestAuthority()
    for round in Self.rounds where policy == "webkit" || round.number % 4 == 0 {
      try await play(round, policy: policy, authority: authority)
    }
  }

  private func play(
    _ round: (number: Int, moment: Moment, request: Int), policy: String, authority: TestAuthority
  ) async throws {
    let folder = try TemporaryFolder()
    let trap = Trap(round.moment, request: round.request)
    let server = try await RecordingServer.start(
      try Stage.identity(authority), onHead: { _ in trap.head() },
      answer: { _ in
        trap.body()
        return Reply()
      })
    let service = try await Stage.service(data: folder.path, server: server, authority: authority)
    trap.victim.withLockedValue { $0 = service }
    try await Stage.prepare(service, seed: "round \(round.number)", policy: policy)
    let promised = try await live(service, round.moment, request: round.request)
    service.kill()
    #expect(await service.status() == SIGKILL, "round \(round)")
    let again = try await Stage.service(data: folder.path, server: server, authority: authority)
    trap.victim.withLockedValue { $0 = nil }
    try await expectKept(promised, by: again, round: "\(round)")
    _ = try await again.call("POST", "\(Stage.browser)/triggering-events", Stage.trigger)
    _ = try await again.call("POST", "\(Stage.browser)/clock/advance", #"{"by":"P9D"}"#)
    try await expectSentOnce(again, server, policy: policy, round: "\(round)")
    again.kill()
    await again.status()
    await server.stop()
  }

  /// The calls that the service acknowledged before it was killed.
  private struct Promise {
    var reports: [ReportView] = []
  }

  /// Goes on until the moment comes; calls that the kill interrupts simply fail.
  private func live(_ service: ServiceProcess, _ moment: Moment, request: Int) async throws -> Promise {
    var promise = Promise()
    #expect(try await service.call("POST", "\(Stage.browser)/event-attributions", Stage.click).status == 201)
    if moment == .afterClick { return promise }
    if moment == .duringTrigger {
      async let trigger = try? service.call("POST", "\(Stage.browser)/triggering-events", Stage.trigger)
      service.kill()
      _ = await trigger
      return promise
    }
    #expect(try await service.call("POST", "\(Stage.browser)/triggering-events", Stage.trigger).text.contains("attributed"))
    promise.reports = try await service.call("GET", "\(Stage.browser)/reports").decoded(as: PageView<ReportView>.self).items
    switch moment {
    case .afterClick, .duringTrigger, .afterTrigger: break
    case .duringAdvance:
      async let advance = try? service.call("POST", "\(Stage.browser)/clock/advance", #"{"by":"P2D"}"#)
      service.kill()
      _ = await advance
    case .atHead, .atBody: _ = try? await service.call("POST", "\(Stage.browser)/clock/advance", #"{"by":"P2D"}"#)
    case .afterAnswer:
      for _ in 0..<request { _ = try await service.call("POST", "\(Stage.browser)/clock/advance", #"{"toNextEvent":true}"#) }
    }
    return promise
  }

  private func expectKept(_ promise: Promise, by service: ServiceProcess, round: String) async throws {
    let reports = try await service.call("GET", "\(Stage.browser)/reports").decoded(as: PageView<ReportView>.self).items
    if promise.reports.isEmpty {
      var stored = 0
      for list in ["clicks?state=stored", "attributions?state=pending"] {
        stored += try await service.call("GET", "\(Stage.browser)/\(list)").decoded(as: PageView<ItemView>.self).items.count
      }
      #expect(stored == 1, "round \(round)")
    } else {
      #expect(reports.map(\.id) == promise.reports.map(\.id), "round \(round)")
      #expect(reports.map(\.dueAt) == promise.reports.map(\.dueAt), "round \(round)")
    }
  }

  private func expectSentOnce(
    _ service: ServiceProcess, _ server: RecordingServer, policy: String, round: String
  ) async throws {
    let reports = try await service.call("GET", "\(Stage.browser)/reports").decoded(as: PageView<ReportView>.self).items
    let received = await server.requests
    for recipient in ["source", "destination"] {
      let host = recipient == "source" ? "news.example" : "shop.example"
      let count = received.filter { $0["Host"] == [host] }.count
      let report = try #require(reports.first { $0.recipient == recipient })
      if policy == "webkit" {
        #expect(count <= 1, "round \(round): \(recipient) was sent \(count) times")
        #expect(report.state == "delivered" ? count == 1 : report.state == "failed", "round \(round): \(report)")
      } else {
        #expect(report.state == "delivered" && count >= 1, "round \(round): \(report)")
      }
    }
  }
}
