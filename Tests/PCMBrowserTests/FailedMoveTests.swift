import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore
import Testing

/// Moves of the clock that the store does not commit.
@Suite struct FailedMoveTests {
  private static let moves: [@Sendable (Browser) async throws -> Void] = [
    { _ = try await $0.advance(.by(.hours(1))) },
    { try await $0.step(at: Scene.start + .hours(1)) },
  ]

  @Test("A clock goes back to its committed time when its move fails", arguments: moves.indices)
  func unusedTime(_ move: Int) async throws {
    let scene = try await Self.failing(move, withClick: false)
    #expect(try await scene.browser.configuration().now == Scene.start)
  }

  @Test("A click during a move that fails has the committed time", arguments: moves.indices)
  func click(_ move: Int) async throws {
    let scene = try await Self.failing(move, withClick: true)
    #expect(try await scene.browser.events(after: 0, limit: 100).last?.at == Scene.start)
  }

  @Test("A report is sent once although the store did not know whether its attempt began", arguments: [true, false])
  func unknownOutcome(_ hasEffect: Bool) async throws {
    let store = HeldStore()
    let scene = try await Scene(settings: SettingsChange(deliveryPolicy: .reliable), store: store)
    try await scene.click(3)
    try await scene.trigger("12")
    store.holdNextWrite()
    let moving = Task { try await scene.advance(.days(3)) }
    await store.untilHeld()
    if hasEffect { store.lose() } else { store.refuse() }
    await #expect(throws: StoreError.self) { try await moving.value }
    #expect(try await scene.reports(.sending).count == (hasEffect ? 1 : 0))
    try await scene.advance(.days(3))
    #expect(try await scene.reports(.delivered).map(\.attemptCount).sorted() == (hasEffect ? [1, 2] : [1, 1]))
    #expect(await scene.transport.requests.count == 2)
  }

  /// Returns a scene after a move of its clock that failed.
  ///
  /// - Parameter withClick: Whether there is a click during the move.
  private static func failing(_ move: Int, withClick: Bool) async throws -> Scene {
    let (store, caller) = (HeldStore(), Caller())
    let scene = try await Scene(store: store)
    store.holdNextWrite()
    let moving = Task { try await moves[move](scene.browser) }
    await store.untilHeld()
    let click = withClick ? await caller.click(in: scene) : nil
    await caller.settle()
    store.refuse()
    await #expect(throws: HeldStore.refusal) { try await moving.value }
    _ = try await click?.value
    return scene
  }
}

/// Starts a click without waiting for it. It runs on the actor until it waits for its commit.
private actor Caller {
  private var started = 0

  func click(in scene: Scene) -> Task<ClickRecord, any Error> {
    Task {
      // Isolated to this actor, which runs its tasks in the order of their creation.
      started += 1
      return try await scene.click(3)
    }
  }

  /// Returns when the click waits or has ended.
  func settle() async {
    await Task { started += 1 }.value
  }
}
