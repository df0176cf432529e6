import BrowserSupport
import PCMBrowser
import PCMCore
import PCMNetwork
import Testing

/// Names that do not resolve, during moves of a manual clock.
@Suite struct FailedLookupTests {
  private static func network(_ code: TransportFailure.Code) -> ScriptedTransport {
    ScriptedTransport { _, _ in Exchange(failure: TransportFailure(code, "failure \(code)")) }
  }

  /// Makes conversions from one site at several others, each with a report to both.
  private func convert(_ count: Int, in scene: Scene) async throws {
    for number in 0..<count {
      try await scene.click(1, to: "shop\(number).example")
      try await scene.trigger("12", on: "shop\(number).example")
    }
  }

  private func lookups(of host: String, in scene: Scene) async -> Int {
    await scene.sent().count { $0.host == host }
  }

  @Test("One lookup for 100 conversions, and each report has its attempt with the failure")
  func oneLookup() async throws {
    let scene = try await Scene(transport: Self.network(.nameNotResolved))
    try await convert(100, in: scene)
    _ = try await scene.advance(.days(9))
    #expect(await lookups(of: Scene.source, in: scene) == 1)
    #expect(await lookups(of: "shop7.example", in: scene) == 1)
    let reports = try await scene.reports(.failed)
    #expect(reports.count == 200)
    #expect(reports.allSatisfy { $0.attempts.count == 1 && $0.attempts[0].text.contains("\"code\":\"name-not-resolved\"") })
    #expect(try await scene.kinds().count { $0 == .reportFailed } == 200)
  }

  @Test("The next move looks the name up again")
  func nextMove() async throws {
    let scene = try await Scene(transport: Self.network(.nameNotResolved))
    for expected in 1...3 {
      try await convert(2, in: scene)
      _ = try await scene.advance(.days(9))
      #expect(await lookups(of: Scene.source, in: scene) == expected)
    }
  }

  @Test("Each report to a host that refuses connections is sent")
  func refusedConnections() async throws {
    let scene = try await Scene(transport: Self.network(.connectionFailed))
    try await convert(5, in: scene)
    _ = try await scene.advance(.days(9))
    #expect(await lookups(of: Scene.source, in: scene) == 5)
  }

  @Test("A failed lookup for a token key is not repeated for the report, nor for other keys")
  func tokenKeys() async throws {
    let signer = try TokenSigner()
    let clicks = 4
    // The name resolves until all clicks have their tokens.
    let scene = try await Scene(
      transport: ScriptedTransport { request, number in
        if number <= 2 * clicks { return signer.answer(request) }
        return Exchange(failure: TransportFailure(.nameNotResolved, "there is no such host"))
      })
    for number in 0..<clicks {
      try await scene.click(1, to: "shop\(number).example", nonce: TokenTests.nonce)
      try await scene.trigger("12", on: "shop\(number).example")
    }
    _ = try await scene.advance(.days(9))
    #expect(await lookups(of: Scene.source, in: scene) == 2 * clicks + 1)
    #expect(try await scene.reports(.failed).count == 2 * clicks)
  }

  @Test("A click after a move looks the name up")
  func clickAfterMove() async throws {
    let scene = try await Scene(transport: Self.network(.nameNotResolved))
    try await convert(1, in: scene)
    _ = try await scene.advance(.days(9))
    try await scene.click(2, nonce: TokenTests.nonce)
    try await scene.click(3, nonce: TokenTests.nonce)
    #expect(await lookups(of: Scene.source, in: scene) == 3)
  }
}
