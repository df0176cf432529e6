/// Lets one task at a time through, in the order of their coming: two calls that move the same clock must not mix.
package actor Turn {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init() {}

  /// Runs `body` when everybody who came before is done, and lets the next one in whatever comes of it.
  package nonisolated func hold<Value>(_ body: () async throws -> Value) async throws -> Value {
    await take()
    do {
      let value = try await body()
      await giveBack()
      return value
    } catch {
      await giveBack()
      throw error
    }
  }

  private func take() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func giveBack() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
