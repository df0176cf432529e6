import PCMCore
import PCMStore
import Testing

extension StoreContract {
  /// The first instants that a store does not accept.
  private static let unstorable = [
    Instant.storable.lowerBound - Interval(milliseconds: 1), Instant.storable.upperBound + Interval(milliseconds: 1),
  ]

  static let timeChecks = [
    Check("a value with a time that cannot be read back is not written, and the browser stays readable") { store in
      let browser = try await store.newBrowser()
      let before = try await store.seen(browser) { try $0.state() }
      for time in unstorable {
        for write in writes(of: time) {
          await #expect(throws: StoreError.unstorableTime(time), "\(write.name)") {
            try await store.write(browser) { rows in
              try rows.save(Sample.report(9))
              try write.run(rows)
            }
          }
        }
      }
      #expect(try await store.seen(browser) { try $0.state() } == before)
      #expect(try await store.seen(browser) { try $0.reports(in: nil, after: 0, limit: 9) } == [])
      #expect(try await store.browsers().count == 1)
    },
    Check("no browser is created or copied at a time that cannot be read back") { store in
      let browser = try await store.newBrowser()
      for time in unstorable {
        for new in [
          NewBrowser(name: "new", seed: "", clockMode: .real, state: BrowserState(now: time)),
          NewBrowser(name: "new", seed: "", clockMode: .manual, state: BrowserState(now: Sample.noon), createdAt: time),
        ] {
          await #expect(throws: StoreError.unstorableTime(time)) { _ = try await store.create(new) }
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
        for write in writes(of: time) { try await store.write(browser) { try write.run($0) } }
        #expect(try await store.seen(browser) { try $0.state().now } == time)
        #expect(try await store.seen(browser) { try $0.row(Report.self, 1)?.retryAt } == time)
        #expect(try await store.seen(browser) { try $0.lastEventAt() } == time)
      }
      #expect(try await store.browsers().count == 2)
    },
  ]

  private struct TimedWrite {
    let name: String
    let run: @Sendable (any BrowserWriter) throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (any BrowserWriter) throws -> Void) {
      (self.name, self.run) = (name, run)
    }
  }

  /// One write for each stored time.
  private static func writes(of time: Instant) -> [TimedWrite] {
    let request = IdempotencyRecord(key: "a key", digest: "", receivedAt: time, answer: nil)
    let limits = IdempotencyLimits(maximumCount: 9, maximumBytes: 9_999, expiry: .earliest)
    let (made, due) = (attribution(at: time), attribution(dueAt: time))
    return [
      TimedWrite("the browser's time") { rows in try rows.save(BrowserState(now: time)) },
      TimedWrite("a click") { rows in try rows.save(Sample.click(1, at: time), in: .table) },
      TimedWrite("an ephemeral click") { rows in try rows.save(Sample.click(1, at: time), in: .ephemeral) },
      TimedWrite("an attribution") { rows in try rows.save(made, in: .normal) },
      TimedWrite("half of an attribution") { rows in try rows.save(due, in: .normal) },
      TimedWrite("a retry of a report") { rows in try rows.save(Sample.report(1, retryAt: time)) },
      TimedWrite("a row of the device") { rows in try rows.save(Sample.deviceRow("a row", changesAt: time)) },
      TimedWrite("a postback") { rows in try rows.save(Sample.postback(1, dueAt: time)) },
      TimedWrite("a retry of a postback") { rows in try rows.save(Sample.postback(1, retryAt: time)) },
      TimedWrite("a kept request") { rows in try rows.saveRequest(request, trimmingTo: limits) },
      TimedWrite("an event") { rows in _ = try rows.append(Sample.event(), at: time) },
    ]
  }

  private static func attribution(at time: Instant = Sample.noon, dueAt: Instant = Sample.noon) -> Attribution {
    Attribution(
      id: 1, click: Sample.click(1), trigger: Trigger(data: 1, priority: 0), attributedAt: time,
      source: .init(report: 2, dueAt: dueAt), destination: nil)
  }
}
