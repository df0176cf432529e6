import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore
import Testing

@Suite struct KeyedRequestTests {
  @Test(
    "A kept answer that is damaged is an error that names its row",
    arguments: ["", "201 /v1\n{"])
  func damagedAnswer(_ text: String) async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    let kept = IdempotencyRecord(key: "k", digest: "d", receivedAt: Scene.start, answer: text)
    try await store.write(scene.browser.record.id) { try $0.save(kept) }
    await #expect(throws: StoreError.unreadable(table: "kept_requests", row: "k", column: "answer")) {
      try await scene.browser.answerOnce(RequestKey("k", digest: "d", at: Scene.start)) { PostAnswer(json: .null) }
    }
  }
}
