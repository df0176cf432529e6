import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore

/// The answer to a caller.
enum Answer: Hashable, Sendable {
  case click(Outcome)
  /// - Parameters:
  ///   - isReadable: whether the event got past the grammar, which the answer shows by repeating its values.
  ///   - sale: The attribution.
  case trigger(Outcome, isReadable: Bool, sale: Sale?)
  case done
  /// The store refused, and the caller got an error.
  case refused
  /// The process died, and the caller got nothing.
  case crashed

  struct Outcome: Hashable, Sendable {
    let kind: String
    let codes: [String]
  }

  struct Sale: Hashable, Sendable {
    let click: UInt8
    let source: String
    let destination: String
    let data: Int
    let sourceDue: Instant
    let destinationDue: Instant
  }
}

/// One operation with all that an outsider sees of it.
struct Observation: Sendable {
  let operation: Operation
  let answer: Answer
  let attempts: [SendAttempt]
  let before: Snapshot
  let after: Snapshot
}

/// The visible state of a browser.
struct Snapshot: Hashable, Sendable {
  struct Click: Hashable, Sendable {
    let id: UInt8
    let source: String
    let destination: String
    let app: String
    let at: Instant
  }

  struct Attributed: Hashable, Sendable {
    let click: Click
    let data: Int
    let priority: Int
    let sourceDue: Instant?
    let destinationDue: Instant?
  }

  let now: Instant
  let settings: BrowserSettings
  /// Of the present session, as are the next two.
  let unattributed: [Click]
  let attributed: [Attributed]
  let held: Click?
  /// Of all sessions.
  let reports: [Report]

  init(of browser: Browser, in store: any Store) async throws {
    let configuration = try await browser.configuration()
    (now, settings) = (configuration.now, configuration.settings)
    let measurements = try await browser.measurements(in: store)
    unattributed = measurements.unattributed.map { Click($0.click) }.sorted { $0.id < $1.id }
    attributed = measurements.attributed.map { row in
      Attributed(
        click: Click(row.click.click), data: Int(row.trigger.data), priority: Int(row.trigger.priority),
        sourceDue: row.source?.dueAt, destinationDue: row.destination?.dueAt)
    }.sorted { $0.click.id < $1.click.id }
    held = measurements.ephemeral.map { Click($0.click) }
    reports = try await browser.reportPage(limit: 100_000, bytes: .max).items
  }
}

extension Snapshot.Click {
  init(_ click: PCMCore.Click) {
    self.init(
      id: click.sourceID, source: click.key.source.domain, destination: click.key.destination.domain,
      app: click.key.bundleIdentifier, at: click.clickedAt)
  }
}

/// A report as the reference writes it down (sections 1 and 7.1).
enum ExpectedReport {
  static func url(to site: String) -> String { "https://\(site)/.well-known/private-click-measurement/report-attribution/" }

  static func body(click: UInt8, source: String, destination: String, data: Int) -> String {
    #"{"source_engagement_type":"click","source_site":"\#(source)","source_id":\#(click),"#
      + #""attributed_on_site":"\#(destination)","trigger_data":\#(data),"version":3}"#
  }
}
