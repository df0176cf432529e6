import PCMCore
import PCMStore
import Testing

extension StoreContract {
  /// The first instants beyond those that a store accepts.
  private static let unstorable = [
    Instant.storable.lowerBound - Interval(milliseconds: 1), Instant.storable.upperBound + Interval(milliseconds: 1),
  ]

  static let timeChecks = [
    Check("a value with a time that cannot be read back is not written, and the browser stays readable") { store in
      let browser = try await store.newBrowser()
      let before = try await store.seen(browser) { try $0.state() }
      for time in unstorable {
        for (name, write) in writes(of: time) {
          await #expect(throws: StoreError.unstorableTime(time), "\(name)") {
            try await store.write(browser) { rows in
              try rows.append(Sample.event(), at: Sample.noon)
              try write(rows)
            }
          }
        }
      }
      #expect(try await store.seen(browser) { try $0.state() } == before)
      #expect(try await store.seen(browser) { try $0.events(after: 0, limit: 9) } == [])
      #expect(try await store.unreadableBrowsers().isEmpty)
    },
    Check("no browser is created or copied at a time that cannot be read back") { store in
      let browser = try await store.newBrowser()
      for time in unstorable {
        for new in [
          NewBrowser(name: "new", seed: "", clockMode: .real, state: BrowserState(now: time)),
          NewBrowser(name: "new", seed: "", clockMode: .manual, state: BrowserState(now: Sample.noon), createdAt: time),
        ] {
          await #expect(throws: StoreError.unstorableTime(time)) { _ = try await store.create(new, keeping: nil) }
        }
        await #expect(throws: StoreError.unstorableTime(time)) {
          _ = try await store.fork(browser, as: BrowserCopy(name: "copy", createdAt: time, incarnation: ""))
        }
      }
      #expect(try await store.browsers().map(\.name) == ["one"])
    },
    Check("the first and the last time that can be read back are written") { store in
      for (name, time) in zip(["first", "last"], [Instant.storable.lowerBound, Instant.storable.upperBound]) {
        let browser = try await store.newBrowser(name)
        for (_, write) in writes(of: time) { try await store.write(browser) { try write($0) } }
        #expect(try await store.seen(browser) { try $0.state().now } == time)
        #expect(try await store.seen(browser) { try $0.report(1)?.retryAt } == time)
        #expect(try await store.seen(browser) { try $0.lastEventAt() } == time)
      }
      #expect(try await store.unreadableBrowsers().isEmpty)
    },
  ]

  private typealias Write = @Sendable (any BrowserWriter) throws -> Void

  /// One write for each stored time.
  private static func writes(of time: Instant) -> [(name: String, write: Write)] {
    [
      ("the browser's time", { try $0.save(BrowserState(now: time)) }),
      ("a click", { try $0.save(Sample.click(1, at: time), in: .table) }),
      ("an ephemeral click", { try $0.save(Sample.click(1, at: time), in: .ephemeral) }),
      ("an attribution", { try $0.save(attribution(at: time), in: .normal) }),
      ("half of an attribution", { try $0.save(attribution(dueAt: time), in: .normal) }),
      ("a retry of a report", { try $0.save(Sample.report(1, retryAt: time)) }),
      ("a row of the device", { try $0.save(Sample.deviceRow("a row", changesAt: time)) }),
      ("a postback", { try $0.save(Sample.postback(1, dueAt: time)) }),
      ("a retry of a postback", { try $0.save(Sample.postback(1, retryAt: time)) }),
      (
        "a kept request",
        { rows in
          let request = KeptRequest(key: "a key", digest: "", receivedAt: time, progress: .begun(nil))
          let limits = KeptRequestLimits(maximumCount: 9, maximumBytes: 9_999, expiry: .earliest)
          try rows.keep(request, within: limits)
        }
      ),
      ("an event", { try $0.append(Sample.event(), at: time) }),
    ]
  }

  private static func attribution(at time: Instant = Sample.noon, dueAt: Instant = Sample.noon) -> Attribution {
    Attribution(
      id: 1, click: Sample.click(1), trigger: Trigger(data: 1, priority: 0), attributedAt: time,
      source: .init(report: 2, dueAt: dueAt), destination: nil)
  }
}
