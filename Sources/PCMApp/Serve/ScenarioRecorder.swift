import PCMBrowser
import PCMCore
import PCMHTTP
import PCMManifest
import PCMScenario
import PCMSimulation

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Records calls as scenario files, one for each new browser on a manual clock.
///
/// Calls that change something are serialized, so that a file has their order and each call is followed by its effects.
actor ScenarioRecorder: CallRecorder {
  private let browsers: Browsers
  private let network: ExchangeRecorder
  private let files: Files
  private var room: RecordingRoom
  private let mutex = AsyncMutex()
  private var recordings: [BrowserName: Recording] = [:]

  /// The destination of a recording.
  struct Files: Sendable {
    let create: @Sendable (_ browser: String) throws -> String
    let write: @Sendable (_ file: String, _ bytes: [UInt8]) throws -> Void
    let fail: @Sendable (_ browser: String, any Error) -> Void

    /// - Parameters:
    ///   - create: Creates an empty file for a browser and returns its name without the extension. Keeps existing files.
    ///   - write: Appends to a file.
    ///   - fail: Called when the recording of a browser ends with an error.
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

  private struct Recording {
    let browser: Browser
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
  ///   - maximumByteCount: The maximum size of all recordings together.
  init(
    browsers: Browsers, network: ExchangeRecorder, files: Files, maximumByteCount: Int = Capacity().recordings
  ) {
    self.browsers = browsers
    self.network = network
    self.files = files
    room = RecordingRoom(maximumByteCount)
  }

  nonisolated func record<Value>(
    _ call: ObservedCall, waiting: (_ wait: @escaping @Sendable () async throws -> Void) async throws -> Void,
    _ body: () async throws -> (Value, response: [UInt8]?)
  ) async throws -> Value {
    try await mutex.withLock(waiting: waiting) {
      await network.start(call.browser.text)
      let (value, response): (Value, [UInt8]?)
      do {
        (value, response) = try await body()
      } catch {
        _ = await network.stop()
        await noteError(call)
        throw error
      }
      let exchanges = await network.stop()
      if let response {
        await note(call, response: JSON(parsing: response) ?? .null, exchanges)
      } else {
        await noteError(call)
      }
      return value
    }
  }

  /// An error of the recording is not an error of the call.
  private func note(_ call: ObservedCall, response: JSON, _ exchanges: [RecordedExchange]) async {
    forgetRemoved(call.browser)
    do {
      if call.resource.isEmpty, call.method == "DELETE" {
        recordings[call.browser] = nil
      } else if var recording = recordings[call.browser] {
        try await append(call, response: response, exchanges, to: &recording)
        recordings[call.browser] = recording
      } else if call.resource.isEmpty, call.method == "PUT", !room.isUsedUp {
        recordings[call.browser] = try await begin(call)
      }
    } catch {
      recordings[call.browser] = nil
      files.fail(call.browser.text, error)
    }
  }

  /// Ends the recording of a browser that was removed without a call, because it was idle.
  private func forgetRemoved(_ name: BrowserName) {
    guard let recording = recordings[name], (try? browsers.browser(name.text)) !== recording.browser else { return }
    recordings[name] = nil
  }

  /// A call with an error changes nothing, unless the store failed in the middle of it. No step has the same effect then.
  private func noteError(_ call: ObservedCall) async {
    forgetRemoved(call.browser)
    guard let recording = recordings[call.browser] else { return }
    do {
      let events = try await events(of: call.browser, after: recording.position)
      if !events.isEmpty { throw PartialCall() }
    } catch {
      recordings[call.browser] = nil
      files.fail(call.browser.text, error)
    }
  }

  private struct PartialCall: Error, CustomStringConvertible {
    let description = "a call returned an error after a part of it took effect"
  }

  /// Only a new browser can be replayed from its beginning, and only a manual clock can be moved as before.
  private func begin(_ call: ObservedCall) async throws -> Recording? {
    let name = call.browser
    let browser = try browsers.browser(name.text)
    let configuration = browser.configuration
    let events = try await browser.eventPage(after: 0, limit: 2).items
    guard configuration.clockMode == .manual, events.isEmpty || events.map(\.kind) == [.deviceChanged] else { return nil }
    let transcript = Transcript(
      name: name.text, seed: configuration.seed, isDurable: configuration.storage == .durable, start: configuration.now,
      settings: configuration.settings.json)
    var recording = Recording(browser: browser, transcript: transcript, position: events.last?.sequence ?? 0)
    if !events.isEmpty, let device = JSON(parsing: call.body)?["device"] {
      try write(.init("device", device), of: name, &recording)
    }
    return recording
  }

  private func append(
    _ call: ObservedCall, response: JSON, _ exchanges: [RecordedExchange], to recording: inout Recording
  ) async throws {
    let events = try await events(of: call.browser, after: recording.position)
    recording.position = events.last?.sequence ?? recording.position
    let manifest = try app(of: call, in: &recording)
    let body = JSON(parsing: call.body) ?? .null
    let actions = RecordedCall.actions(
      call.method, call.resource, site: call.site, body: body.withoutUserInformation, manifest: manifest)
    guard let action = actions.last else { return }
    // Only the last of several actions has a response and events that a scenario expects.
    for action in actions.dropLast() { try write(action, of: call.browser, &recording) }
    let recorded = RecordedCall(
      action: action, response: response, events: events.map(\.kind),
      exchanges: RecordedExchange.marked(exchanges, by: events.map(\.detail.text)))
    try write(recorded, of: call.browser, &recording)
  }

  /// Writes an action without a response.
  private func write(_ action: JSON.Member, of browser: BrowserName, _ recording: inout Recording) throws {
    try write(RecordedCall(action: action, response: .null, events: nil, exchanges: []), of: browser, &recording)
  }

  private func write(_ call: RecordedCall, of browser: BrowserName, _ recording: inout Recording) throws {
    let lines = try recording.transcript.lines(for: call)
    try append(lines, to: try file(of: browser, &recording) + ".yaml")
  }

  /// Returns the value of the step that registers an app; nil for another call.
  ///
  /// Manifests are long, so each is in a separate file next to the scenario, unless the call has members for the device.
  private func app(of call: ObservedCall, in recording: inout Recording) throws -> JSON? {
    let parts = call.resource.split(separator: "/", maxSplits: 1)
    guard call.method == "PUT", parts.first == "apps" else { return nil }
    // An Info.plist is not JSON.
    let registration = parts.count > 1 ? try? AppRegistration(json: call.body) : nil
    let identifier = parts.last.map(String.init) ?? ""
    if let step = registration?.step(of: identifier) { return step() }
    recording.manifests += 1
    let name = "\(try file(of: call.browser, &recording))-app-\(recording.manifests).plist"
    let infoPlist = registration?.infoPlist(of: identifier).withoutUserInformation.propertyList
    try room.addFile()
    try append(try infoPlist ?? ManifestReader.xml(call.body, named: parts.count > 1 ? identifier : nil), to: name)
    return ["manifest": .string(name)]
  }

  /// Returns the name of the recording's file, and creates the file if it does not exist.
  private func file(of browser: BrowserName, _ recording: inout Recording) throws -> String {
    if let file = recording.file { return file }
    try room.addFile()
    let file = try files.create(browser.text)
    recording.file = file
    try append(recording.transcript.head, to: file + ".yaml")
    return file
  }

  private func append(_ text: String, to file: String) throws {
    try room.add(text.utf8.count)
    try files.write(file, Array(text.utf8))
  }

  private func events(of name: BrowserName, after position: Int64) async throws -> [LogEvent] {
    let browser = try browsers.browser(name.text)
    var events: [LogEvent] = []
    var next: Int64? = position
    while let start = next {
      let page = try await browser.eventPage(after: start, limit: 1_000)
      events += page.items
      next = page.next
    }
    return events
  }
}
