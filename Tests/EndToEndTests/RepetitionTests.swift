import Foundation
import NIOConcurrencyHelpers
import PCMCore
import ServiceSupport
import TLSSupport
import Testing

/// kill -9 around the answer to a POST, and the same POST with its key after the restart: one effect.
@Suite(.serialized) struct RepetitionTests {
  private static let nonce = "ABCDEFabcdef0123456789"

  /// A POST with its key, and the event of its effect.
  struct Call: Sendable, CustomStringConvertible {
    let resource: String
    let body: String
    let effect: String
    /// The answer to the repetition when the process ended at the first request that the call sends.
    var interrupted: Int
    var description: String { resource }

    var path: String { resource.isEmpty ? "/v1/browsers" : "\(Stage.browser)/\(resource)" }
  }

  private static let tap = Call(
    resource: "event-attributions", body: String(Stage.click.dropLast(1)) + #","sourceNonce":"\#(nonce)"}"#,
    effect: "click-stored", interrupted: 201)
  private static let link = Call(
    resource: "link-clicks",
    body: """
      {"pageURL":"https://news.example/","attributionSourceID":"4","attributionDestination":"https://shop.example",\
      "attributionSourceNonce":"\(nonce)"}
      """, effect: "click-stored", interrupted: 201)
  private static let trigger = Call(
    resource: "triggering-events", body: Stage.trigger, effect: "trigger-accepted", interrupted: 201)
  private static let signedTrigger = Call(
    resource: "triggering-events",
    body: Stage.trigger.replacingOccurrences(of: "/12/03", with: "/12/03?attributionDestinationNonce=\(nonce)"),
    effect: "token-requested", interrupted: 409)
  private static let load = Call(
    resource: "loads", body: #"{"firstPartyURL":"https://shop.example/","url":"https://news.example/pixel"}"#,
    effect: "trigger-accepted", interrupted: 409)

  private static let move = Call(
    resource: "clock/advance", body: #"{"by":"P3D"}"#, effect: "clock-advanced", interrupted: 200)

  /// The service, and a server that receives all its requests. It kills the service at a chosen request.
  private struct Scene {
    let folder: TemporaryFolder
    let authority: TestAuthority
    let server: RecordingServer
    let victim: NIOLockedValueBox<ServiceProcess?>
    private let heads: NIOLockedValueBox<Int>

    /// The number of requests that the server has received.
    var requestCount: Int { heads.withLockedValue { $0 } }

    init() async throws {
      (folder, authority) = (try TemporaryFolder(), try TestAuthority())
      let (victim, heads) = (NIOLockedValueBox<ServiceProcess?>(nil), NIOLockedValueBox(0))
      (self.victim, self.heads) = (victim, heads)
      server = try await RecordingServer.start(
        try Stage.identity(authority),
        onHead: { _ in
          heads.withLockedValue { $0 += 1 }
          victim.withLockedValue { $0?.kill() }
        },
        answer: { request in
          request.target == "/pixel"
            ? .redirect(to: "/.well-known/private-click-measurement/trigger-attribution/12/03") : Reply(404)
        })
    }

    func start() async throws -> ServiceProcess {
      try await Stage.service(data: folder.path, server: server, authority: authority)
    }

    /// Kills the process, and starts a new process with the same data.
    func restart(_ service: ServiceProcess) async throws -> ServiceProcess {
      service.kill()
      #expect(await service.status() == SIGKILL)
      victim.withLockedValue { $0 = nil }
      return try await start()
    }
  }

  private func send(_ call: Call, to service: ServiceProcess) async throws -> ServiceProcess.Answer {
    try await service.call("POST", call.path, call.body, key: "the key")
  }

  private func effects(_ call: Call, _ service: ServiceProcess) async throws -> Int {
    let log = try await service.call("GET", "\(Stage.browser)/events?limit=1000").text
    return log.components(separatedBy: #""kind":"\#(call.effect)""#).count - 1
  }

  @Test("killed after the answer", arguments: [tap, link, trigger, signedTrigger, load, move])
  func afterAnswer(_ call: Call) async throws {
    let scene = try await Scene()
    let service = try await scene.start()
    try await Stage.prepare(service, seed: "repetition")
    let first = try await send(call, to: service)
    #expect(200..<300 ~= first.status, "\(first.text)")
    #expect(!first.isReplayed)
    let (count, requests) = (try await effects(call, service), scene.requestCount)
    #expect(count == 1)
    let again = try await scene.restart(service)
    let second = try await send(call, to: again)
    #expect((second.status, second.text) == (first.status, first.text))
    #expect(second.isReplayed)
    #expect(try await effects(call, again) == count)
    #expect(scene.requestCount == requests)
    again.kill()
    await again.status()
    await scene.server.stop()
  }

  @Test("killed between the commit and the answer", arguments: [tap, link, signedTrigger, load])
  func beforeAnswer(_ call: Call) async throws {
    let scene = try await Scene()
    let service = try await scene.start()
    try await Stage.prepare(service, seed: "repetition")
    scene.victim.withLockedValue { $0 = service }
    await #expect(throws: (any Error).self) { try await send(call, to: service) }
    let again = try await scene.restart(service)
    let (count, requests) = (try await effects(call, again), scene.requestCount)
    #expect(count <= 1)
    for _ in 1...2 {
      let answer = try await send(call, to: again)
      #expect(answer.status == call.interrupted, "\(answer.text)")
      #expect(answer.isReplayed == (answer.status != 409))
      if answer.status == 409 { #expect(answer.text.contains(#""code":"request-interrupted""#)) }
    }
    #expect(try await effects(call, again) == count)
    #expect(scene.requestCount == requests, "nothing is sent again")
    again.kill()
    await again.status()
    await scene.server.stop()
  }
}
