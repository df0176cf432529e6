import BrowserSupport
import PCMCore
import PCMNetwork
import PCMStore
import Testing

@testable import PCMBrowser

/// Requests with the same idempotency key at two instances over one store.
@Suite struct KeyOverInstancesTests {
  private let stage = InstanceStage()
  private static let key = RequestKey("k", digest: "d", at: Scene.start)
  private static let target = Scene.start + .days(3)
  private static let link = LinkClickInput(
    pageURL: "https://news.example/", attributionSourceID: "4", attributionDestination: "https://shop.example")

  @Test("A request that another instance performs after the lookup of its key is answered with the kept answer")
  func lateRepetition() async throws {
    let (one, other) = (try await stage.browser(stage.store), try await stage.browser(stage.otherStore))
    var first: PostAnswer?
    let (answer, isRepetition) = try await other.answerOnce(Self.key) {
      first = try await Self.click(in: one).answer
      return try await Self.link.perform(in: other, on: nil, for: Self.key)
    }
    #expect(isRepetition && answer.json.text == first?.json.text && answer.location == first?.location)
    #expect(try await other.events(after: 0, limit: 9).map(\.kind) == [.clickStored])
  }

  @Test("Requests with the same key at two instances at once have one effect and one answer")
  func atOnce() async throws {
    let browsers = [try await stage.browser(stage.store), try await stage.browser(stage.otherStore)]
    let answers = try await withThrowingTaskGroup(of: (text: String, isRepetition: Bool).self) { group in
      for number in 0..<20 {
        group.addTask {
          let (answer, isRepetition) = try await Self.click(in: browsers[number % 2])
          return (answer.json.text, isRepetition)
        }
      }
      return try await group.reduce(into: [(text: String, isRepetition: Bool)]()) { $0.append($1) }
    }
    #expect(answers.count { !$0.isRepetition } == 1)
    #expect(Set(answers.map(\.text)).count == 1)
    #expect(try await browsers[0].events(after: 0, limit: 9).map(\.kind) == [.clickStored])
  }

  @Test("A move is repeated at another instance with the answer that it has at its end")
  func move() async throws {
    let network = HeldNetwork()
    let (one, other) = try await stage.browsers(holding: network)
    let moving = Task { try await Self.advance(one) }
    await network.untilRequest()
    let repeated = Task { try await Self.advance(other) }
    let sleeper = await stage.pauses.next()
    network.gate.open()
    let first = try await moving.value
    sleeper?.resume()
    let second = try await repeated.value
    #expect(!first.isRepetition && second.isRepetition && second.answer.json.text == first.answer.json.text)
    #expect(try await other.configuration().now == Self.target)
  }

  @Test("A move that takes too long is busy at another instance, and interrupted once its instance is gone")
  func interruption() async throws {
    let network = HeldNetwork()
    let (one, other) = try await stage.browsers(holding: network)
    let moving = Task { try await Self.advance(one) }
    await network.untilRequest()
    stage.machine.set(Scene.start + BrowserEnvironment.patience)
    await #expect(throws: BrowserError.busy) { try await Self.advance(other) }
    stage.store.end()
    #expect(try await stage.otherStore.claimAbandoned(limit: 9) == [other.record])
    try await other.recover()
    let now = try await other.configuration().now
    await #expect(throws: BrowserError.requestInterrupted(key: "k", since: Scene.start, clock: now)) {
      try await Self.advance(other)
    }
    #expect(try await other.advance(.to(Self.target)).now == Self.target)
    network.gate.open()
    await #expect(throws: BrowserError.requestInterrupted(key: "k", since: Scene.start, clock: Self.target)) {
      try await moving.value
    }
  }

  @Test("A request that began and failed is interrupted at once for its instance, which performs it no longer")
  func failure() async throws {
    struct Failure: Error {}
    let one = try await stage.browser(stage.store)
    let now = try await one.configuration().now
    await #expect(throws: Failure.self) {
      try await one.answerOnce(Self.key) {
        let request = KeyedRequest<ClickRecord>(Self.key) { _ in PostAnswer(json: .null) }
        try await stage.store.write(one.record.id) { try request?.begin(in: $0) }
        throw Failure()
      }
    }
    await #expect(throws: BrowserError.requestInterrupted(key: "k", since: Scene.start, clock: now)) {
      try await Self.click(in: one)
    }
  }

  @Test("A request that creates a browser does so once, although two instances perform it")
  func creation() async throws {
    let (one, other) = (try await stage.browsers(stage.store), try await stage.browsers(stage.otherStore))
    let (answer, isRepetition) = try await other.answerOnce(Self.key) {
      _ = try await Self.create(in: one, seed: "first")
      return try await Self.create(in: other, seed: "second")
    }
    #expect(isRepetition && answer.json.text == "\"first\"")
    #expect(try await stage.store.browsers().map(\.seed) == ["seed-1", "first"])
  }

  @Test("A request that copies a browser does so once, although two instances perform it", arguments: ["copy", nil])
  func copy(_ name: String?) async throws {
    let (one, other) = (try await stage.browsers(stage.store), try await stage.browsers(stage.otherStore))
    let (answer, isRepetition) = try await other.answerOnce(Self.key) {
      for browsers in [one, other] { _ = try await Self.copy(as: name, in: browsers) }
      return PostAnswer(json: .null)
    }
    #expect(isRepetition && answer.json.text == "\"\(name ?? "browser-seed-1")\"")
    #expect(try await stage.store.browsers().count == 2)
  }

  // MARK: Stage

  private static func click(in browser: Browser) async throws -> (answer: PostAnswer, isRepetition: Bool) {
    try await browser.answerOnce(key) { try await link.perform(in: browser, on: nil, for: key) }
  }

  private static func advance(_ browser: Browser) async throws -> (answer: PostAnswer, isRepetition: Bool) {
    try await browser.answerOnce(key) {
      let request = KeyedRequest<AdvanceResult>(key) { PostAnswer(json: .string($0.now.text)) }
      let result = try await browser.advance(.to(target), for: request)
      return request?.answer(to: result) ?? PostAnswer(json: .null)
    }
  }

  private static func create(in browsers: Browsers, seed: String) async throws -> PostAnswer {
    let request = KeyedRequest<BrowserSnapshot>(key) { PostAnswer(json: .string($0.seed)) }
    _ = try await browsers.create(BrowserSpecification(seed: seed), for: request)
    return PostAnswer(json: .null)
  }

  private static func copy(as name: String?, in browsers: Browsers) async throws -> PostAnswer {
    let request = KeyedRequest<BrowserSnapshot>(key) { PostAnswer(json: .string($0.name)) }
    _ = try await browsers.fork(browsers.browser(Browsers.defaultName), as: name, for: request)
    return PostAnswer(json: .null)
  }
}
