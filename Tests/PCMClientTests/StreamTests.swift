import PCMClient
import Testing

/// Event streams, against the real service.
@Suite struct StreamTests {
  @Test("a stream contains past events, then new ones, without polling")
  func live() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("live", on: service)
      try await browser.convert()
      let past = try await browser.events()
      var stream = browser.eventStream().makeAsyncIterator()
      for event in past { #expect(try await stream.next() == event) }
      async let next = browser.waitFor(.clockAdvanced, timeout: .seconds(30))
      try await browser.advance(by: .seconds(1))
      #expect(try await stream.next()?.kind == .clockAdvanced)
      #expect(try await next.kind == .clockAdvanced)
      var later = browser.eventStream(after: past.count).makeAsyncIterator()
      #expect(try await later.next()?.sequence == past.count + 1)
    }
  }

  @Test("the log of one site as a list, as a stream, and with waiting")
  func oneSubject() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("subject", on: service)
      try await browser.convert()
      let link = AttributionLink(sourceIdentifier: "9", destination: "https://other.example")
      let click = try #require(try await browser.follow(link, on: "https://social.example/").click)
      let events = try await browser.events(about: "other.example")
      #expect(events.map(\.detail["clickId"]?.string) == [click.id])
      var stream = browser.eventStream(about: "other.example").makeAsyncIterator()
      #expect(try await stream.next() == events.first)
      #expect(try await browser.waitFor(.clickStored, about: click.id) == events.first)
      #expect(try await browser.events(after: events[0].sequence, about: click.id).isEmpty)
    }
  }

  @Test("a stream ends when its browser is deleted, even if one of the same name is created")
  func deleted() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("deleted", on: service)
      try await browser.advance(by: .seconds(1))
      var stream = browser.eventStream().makeAsyncIterator()
      #expect(try await stream.next()?.kind == .clockAdvanced)
      let before = try await browser.state()
      let again = try await PCM.browser("deleted", on: service)
      try await again.advance(by: .seconds(1))
      try await again.advance(by: .seconds(1))
      #expect(try await stream.next() == nil)
      #expect(try await stream.next() == nil)
      let after = try await again.state()
      #expect(before.incarnation != after.incarnation && before.createdAt <= after.createdAt)
    }
  }

  @Test("an interrupted stream does not resume in a later browser of the same name")
  func recreated() async throws {
    try await Stage.withService { service in
      _ = try await PCM.browser("cut", on: service).convert()
      let relay = try await Relay.start(to: service)
      var stream = try await PCMService(url: relay.url).browser("cut").eventStream().makeAsyncIterator()
      #expect(try await stream.next()?.kind == .appRegistered)
      await relay.cut()
      _ = try await PCM.browser("cut", on: service).convert()
      while let event = try await stream.next() { #expect(event.sequence > 1) }
      #expect(try await stream.next() == nil)
      await relay.stop()
    }
  }

  @Test("an interrupted stream resumes after the last delivered event")
  func resumed() async throws {
    try await Stage.withService { service in
      let direct = try await PCM.browser("cut", on: service)
      try await direct.convert()
      let relay = try await Relay.start(to: service)
      let browser = try await PCMService(url: relay.url).browser("cut")
      var stream = browser.eventStream().makeAsyncIterator()
      var seen = [try await stream.next(), try await stream.next()].compactMap { $0?.sequence }
      for _ in 0..<3 {
        await relay.cut()
        try await direct.advance(by: .seconds(1))
        if let event = try await stream.next() { seen.append(event.sequence) }
      }
      let last = try await direct.events().count
      while seen.last != last, let event = try await stream.next() { seen.append(event.sequence) }
      #expect(seen == Array(1...last))
      #expect(relay.accepted > 1)
      await relay.stop()
    }
  }

  @Test("a stream throws when the service is unreachable")
  func gone() async throws {
    var left: EventStream.Iterator?
    try await Stage.withService { service in
      let browser = try await PCM.browser("gone", on: service)
      try await browser.advance(by: .seconds(1))
      var stream = browser.eventStream().makeAsyncIterator()
      #expect(try await stream.next() != nil)
      left = stream
    }
    let error = await #expect(throws: ServiceError.self) { while try await left?.next() != nil {} }
    #expect(error?.description.contains("pcm-browser serve") == true)
  }

  @Test("a stream ends when its task is canceled")
  func canceled() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("canceled", on: service)
      try await browser.advance(by: .seconds(1))
      let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
      let reading = Task {
        var count = 0
        for try await _ in browser.eventStream() {
          count += 1
          arrival.yield()
        }
        return count
      }
      for await _ in arrived { break }
      reading.cancel()
      #expect(try await reading.value >= 1)
    }
  }
}
