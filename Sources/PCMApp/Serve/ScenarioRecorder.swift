import PCMBrowser
import PCMCore
import PCMHTTP
import PCMScenario

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Records calls as scenario files, one for each new browser on a manual clock.
///
/// Calls that change something are serialized, so that a file has their order and each call is followed by its effects.
actor SessionRecorder: CallRecorder {
  private let browsers: Browsers
  private let network: ExchangeTap
  private let files: Files
  private let mutex = AsyncMutex()
  private var sessions: [String: Session] = [:]

  /// The destination of a recording.
  struct Files: Sendable {
    let create: @Sendable (_ browser: String) throws -> String
    let write: @Sendable (_ file: String, _ bytes: [UInt8]) throws -> Void
    let fail: @Sendable (_ browser: String, any Error) -> Void

    /// - Parameters:
    ///   - create: Creates an empty file for a browser and returns its name without the extension. Keeps existing files.
    ///   - write: Appends to a file.
    ///   - fail: Called when the recording of a browser's session ends with an error.
    init(
      create: @escaping @Sendable (_ browser: String) throws -> String,
      write: @escaping @Sendable (_ file: String, _ bytes: [UInt8]) throws -> Void,
      fail: @escaping @Sendable (_ browser: String, any Error) -> Void
    ) {
      self.create = create
      self.write = write
      self.fail = fail
    }
  }

  private struct Session {
    /// Nil before the first call, because a scenario needs a step.
    var file: String?
    var transcript: Transcript
    /// The last event of the log that belongs to an earlier call.
    var position: Int64
    var manifests = 0
  }

  /// - Parameters:
  ///   - browsers: The called browsers.
  ///   - network: The network of all browsers.
  init(browsers: Browsers, network: ExchangeTap, files: Files) {
    self.browsers = browsers
    self.network = network
    self.files = files
  }

  nonisolated func record<Value>(
    _ call: ObservedCall, _ body: () async throws -> (Value, answer: [UInt8]?)
  ) async throws -> Value {
    try await mutex.withLock {
      await network.listen(to: call.browser)
      let (value, answer): (Value, [UInt8]?)
      do {
        (value, answer) = try await body()
      } catch {
        _ = await network.stop()
        await noteRefusal(call)
        throw error
      }
      let exchanges = await network.stop()
      if let answer {
        await note(call, answer: JSON(parsing: answer) ?? .null, exchanges)
      } else {
        await noteRefusal(call)
      }
      return value
    }
  }

  /// An error of the recording is not an error of the call.
  private func note(_ call: ObservedCall, answer: JSON, _ exchanges: [RecordedExchange]) async {
    do {
      if call.resource.isEmpty, call.method == "DELETE" {
        sessions[call.browser] = nil
      } else if var session = sessions[call.browser] {
        try await append(call, answer: answer, exchanges, to: &session)
        sessions[call.browser] = session
      } else if call.resource.isEmpty, call.method == "PUT" {
        sessions[call.browser] = try await begin(call.browser)
      }
    } catch {
      sessions[call.browser] = nil
      files.fail(call.browser, error)
    }
  }

  /// A call with an error changes nothing, unless the store failed in the middle of it. No step has the same effect then.
  private func noteRefusal(_ call: ObservedCall) async {
    guard let session = sessions[call.browser] else { return }
    do {
      let events = try await events(of: call.browser, after: session.position)
      if !events.isEmpty { throw HalfDone() }
    } catch {
      sessions[call.browser] = nil
      files.fail(call.browser, error)
    }
  }

  private struct HalfDone: Error, CustomStringConvertible {
    let description = "a call returned an error after a part of it took effect"
  }

  /// Only a new browser can be replayed from its beginning, and only a manual clock can be moved as before.
  private func begin(_ name: String) async throws -> Session? {
    let browser = try browsers.browser(name)
    let configuration = browser.configuration
    guard configuration.clockMode == .manual, try await browser.eventPage(after: 0, limit: 1, about: nil).items.isEmpty
    else { return nil }
    let transcript = Transcript(
      name: name, seed: configuration.seed, isDurable: configuration.storage == .durable, start: configuration.now,
      settings: configuration.settings.json)
    return Session(transcript: transcript, position: 0)
  }

  private func append(
    _ call: ObservedCall, answer: JSON, _ exchanges: [RecordedExchange], to session: inout Session
  ) async throws {
    let events = try await events(of: call.browser, after: session.position)
    session.position = events.last?.sequence ?? session.position
    let manifest = try keepManifest(of: call, in: &session)
    // Decoded as in the routes: `4.0` is 4, and a byte order mark is ignored.
    let body = (try? JSONDecoder().decode(JSON.self, from: Data(call.body))) ?? .null
    guard
      let action = RecordedCall.action(call.method, call.resource, site: call.site, body: body, manifest: manifest)
    else { return }
    let recorded = RecordedCall(
      action: action, answer: answer, events: events.map(\.kind),
      exchanges: RecordedExchange.marked(exchanges, by: events.map(\.detail.text)))
    let lines = try session.transcript.lines(for: recorded)
    try files.write(try file(of: call.browser, &session) + ".yaml", Array(lines.utf8))
  }

  /// Manifests may be binary, so each is in a separate file next to the scenario.
  private func keepManifest(of call: ObservedCall, in session: inout Session) throws -> String? {
    guard call.method == "PUT", call.resource == "apps" else { return nil }
    session.manifests += 1
    let name = "\(try file(of: call.browser, &session))-app-\(session.manifests).plist"
    try files.write(name, call.body)
    return name
  }

  /// Returns the name of the session's file, and creates the file if it does not exist.
  private func file(of browser: String, _ session: inout Session) throws -> String {
    if let file = session.file { return file }
    let file = try files.create(browser)
    session.file = file
    try files.write(file + ".yaml", Array(session.transcript.head.utf8))
    return file
  }

  private func events(of name: String, after position: Int64) async throws -> [LogEvent] {
    let browser = try browsers.browser(name)
    var events: [LogEvent] = []
    var next: Int64? = position
    while let start = next {
      let page = try await browser.eventPage(after: start, limit: 1_000, about: nil)
      events += page.items
      next = page.next
    }
    return events
  }
}
