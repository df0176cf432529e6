import BrowserSupport
import HTTPSupport
import HTTPTypes
import PCMCore
import PCMStore
import Testing

/// A list whose items can be large, by its path.
enum LongList: String, CaseIterable {
  case reports = "/v1/browsers/test/reports?limit=1000&include=body"
  case postbacks = "/v1/devices/test/postbacks?limit=1000&include=body"
  case events = "/v1/browsers/test/events?limit=1000"
  case waitedEvents = "/v1/browsers/test/events?limit=1000&wait=PT0S"
  case filteredEvents = "/v1/browsers/test/events?limit=1000&kind=click-discarded"
  case clicks = "/v1/browsers/test/clicks?limit=1000"
  case attributions = "/v1/browsers/test/attributions?limit=1000"
  case apps = "/v1/browsers/test/apps?limit=1000"
  case sites = "/v1/browsers/test/sites?limit=1000"
  case messages = "/v1/browsers/test/messages?limit=1000"
  case browsers = "/v1/browsers?limit=1000"

  private static let text = String(repeating: "x", count: 8_000)

  /// The member that identifies an item.
  var key: String {
    switch self {
    case .reports, .postbacks, .clicks, .attributions, .messages: "id"
    case .events, .waitedEvents, .filteredEvents: "sequence"
    case .apps: "bundleIdentifier"
    case .sites: "host"
    case .browsers: "name"
    }
  }

  /// Adds items, more than a page has, and returns the number of all items of the list.
  func fill(_ api: API, _ store: MemoryStore) async throws -> Int {
    switch self {
    case .reports:
      try await write(300, to: store) { try $1.save(StoredMessages.report($0, text: Self.text)) }
    case .postbacks:
      try await write(300, to: store) { try $1.save(StoredMessages.postback($0, text: Self.text)) }
    case .events, .waitedEvents, .filteredEvents, .clicks:
      // The registration of an app is the first event.
      try await write(300, to: store) { try $1.append(Self.discarded, at: Scene.start) }
        + (self == .events || self == .waitedEvents ? 1 : 0)
    case .attributions:
      try await write(1_200, to: store) { _, writer in
        try writer.append(Self.attributed(try writer.nextSequence()), at: Scene.start)
      }
    case .apps: try await registerApps(api)
    case .sites: try await addSites(api)
    case .messages: try await sendMessages(api)
    case .browsers: try await createBrowsers(api)
    }
  }

  private static let discarded = ClickDiscarded(
    origin: .linkClick, destination: nil, reasons: [Reason("no-user-gesture", text)], decision: nil)

  /// Writes a number of rows to the browser.
  private func write(
    _ count: Int, to store: MemoryStore, _ row: @escaping @Sendable (Int64, any BrowserWriter) throws -> Void
  ) async throws -> Int {
    let browser = try #require(try await store.browsers().first { $0.name == "test" })
    try await store.write(browser.id) { writer in
      for number in 1...count { try row(Int64(number), writer) }
    }
    return count
  }

  /// Returns the event of an attribution with names of the maximum length.
  private static func attributed(_ number: Int64) -> any BrowserEvent {
    let site = Site(String(repeating: "a", count: 245) + ".example")
    let bundle = String(repeating: "b", count: BundleIdentifier.maximumLength)
    let click = Click(
      key: ClickKey(source: site, destination: site, bundleIdentifier: bundle), sourceID: 255, clickedAt: Scene.start)
    let attribution = Attribution(
      id: number, click: KeptClick(id: number, click: click), trigger: Trigger(data: 15, priority: 63),
      attributedAt: Scene.start, source: .init(report: number + 1, dueAt: Scene.start),
      destination: .init(report: number + 2, dueAt: Scene.start))
    return Attributed(attribution, accepted: number, decision: nil)
  }

  private func registerApps(_ api: API) async throws -> Int {
    let suffix = String(repeating: "x", count: 30) + ".adattributionkit"
    let networks = (0..<900).map { JSON.string("network\($0)\(suffix)") }
    let body: JSON = ["infoPlist": ["AdNetworkIdentifiers": .array(networks)]]
    let count = 30
    for number in 1...count {
      let app = try await api.call(.put, "/v1/browsers/test/apps/com.example.app\(number)", body.text)
      #expect(app.status == 200, "\(app.text)")
    }
    // The browser has an app from the beginning.
    return count + 1
  }

  private func addSites(_ api: API) async throws -> Int {
    let body: JSON = ["report": ["body": .string(String(repeating: "x", count: 50_000))]]
    let count = 40
    for number in 1...count {
      let site = try await api.call(.put, "/v1/browsers/test/sites/site\(number).example", body.text)
      #expect(site.status == 201, "\(site.text)")
    }
    return count
  }

  /// The log of messages has a megabyte in URLs, headers, and bodies, and the list has more.
  private func sendMessages(_ api: API) async throws -> Int {
    #expect(try await api.call(.put, "/v1/browsers/test/network", #"{"mode":"simulated"}"#).status == 200)
    let body: JSON = [
      "firstPartyURL": "https://shop.example/", "url": .string("https://shop.example/\(Self.text.prefix(4_000))"),
    ]
    let count = 300
    for _ in 1...count { #expect(try await api.call(.post, "/v1/browsers/test/loads", body.text).status == 200) }
    let dropped: Int = try await api.call(.get, "/v1/browsers/test/messages?limit=1").member("droppedCount")
    return count - dropped
  }

  private func createBrowsers(_ api: API) async throws -> Int {
    let labels = (1...Labels.maximumCount).map { number in
      JSON.Member("label-\(number)", .string(String(Self.text.prefix(Labels.maximumValueLength))))
    }
    let body: JSON = ["labels": .object(labels)]
    let count = 300
    for number in 1...count { #expect(try await api.call(.put, "/v1/browsers/browser-\(number)", body.text).status == 201) }
    // The default browser and the test's browser exist from the beginning.
    return count + 2
  }
}
