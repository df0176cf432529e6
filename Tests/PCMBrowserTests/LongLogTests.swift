import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore
import Testing

/// Queries in a log with very many other events in between.
@Suite struct LongLogTests {
  /// More than an explanation, a page, or a wait would read one by one.
  private static let others: Int64 = 20_000

  private struct Story {
    let scene: Scene
    let click: Int64
    let trigger: Int64
  }

  /// A click that is attributed after many events about another click.
  private func story() async throws -> Story {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    let click = try #require(try await scene.click(3).click?.id)
    try await store.write(scene.browser.record.id) { writer in
      let other = ClickExpired(click: 900_000_000, expiredAt: Scene.start)
      for _ in 0..<Self.others { try writer.append(other, at: Scene.start) }
    }
    return Story(scene: scene, click: click, trigger: try await scene.trigger("12").sequence)
  }

  @Test("A click that is attributed long after it was made is explained")
  func explanations() async throws {
    let story = try await story()
    let browser = story.scene.browser
    #expect(story.trigger - story.click > Self.others)
    let click = try await browser.explain(RecordName.click(story.click))
    #expect(click.summary.hasPrefix("The click was attributed at "), "\(click.summary)")
    #expect(click.events.map(\.kind) == [.attributed])
    let report = try #require(try await story.scene.reports().first)
    let explained = try await browser.explain(RecordName.report(report.id))
    #expect(explained.steps.map(\.kind) == [.click, .triggeringEvent, .report])
    let destination = try await browser.explain(Scene.destination)
    #expect(destination.steps.map(\.kind) == [.click, .triggeringEvent, .report, .report])
    #expect(destination.events.map(\.sequence).first == story.click)
  }

  @Test("A page of events about a click has those before and after, and none of the others")
  func pages() async throws {
    let story = try await story()
    let name = RecordName.click(story.click)
    let page = try await story.scene.browser.eventPage(after: 0, limit: 10, EventSelection(about: [name]))
    #expect(page.items.map(\.kind) == [.clickStored, .attributed])
    #expect(page.next == nil)
    let first = try await story.scene.browser.eventPage(after: 0, limit: 1, EventSelection(about: [name]))
    #expect(first.items.map(\.sequence) == [story.click])
    #expect(first.next == story.click)
  }

  @Test("An event that is in the log already is not waited for")
  func waiting() async throws {
    let story = try await story()
    let found = try await story.scene.browser.eventPage(
      after: 0, limit: 1, EventSelection(about: [RecordName.click(story.click)], kinds: [.attributed]), waiting: .seconds(1)
    ).items.first
    #expect(found?.kind == .attributed)
  }
}
