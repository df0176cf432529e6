import PCMCore
import Testing

@testable import PCMDevice

/// The behavior of a measurement SDK (consent reference, section A5).
@Suite struct SDKRequestTests {
  private static let device = "6d92078a-8246-4ba4-ae5b-76104861e7dc"

  private func event(_ name: String = "purchase", after time: Interval = .seconds(0), _ strategy: SDKURLStrategy = .standard)
    -> MeasurementSDK.Event
  {
    MeasurementSDK.Event(name: name, recordedAt: Sample.now + time, urlStrategy: strategy, hosts: strategy.hosts)
  }

  @Test(
    "SDK 5 waits at most 360 seconds, and SDK 4 at most 120. A longer interval is cut, with a note",
    arguments: [(30, 5, 30), (360, 5, 360), (361, 5, 360), (120, 4, 120), (121, 4, 120), (3_600, 4, 120)]
      as [(Int64, Int64, Int64)])
  func waiting(seconds: Int64, version: Int64, expected: Int64) {
    var sdk = MeasurementSDK()
    let wait = SDKWait(.notDetermined, interval: .seconds(seconds), version: version, sdk)
    #expect(wait.interval == .seconds(expected))
    #expect(wait.note?.code == (seconds > expected ? "waiting-interval-cut" : nil))
    #expect(sdk.hold(event(), for: wait.interval) == Sample.now + .seconds(expected))
    #expect(sdk.waitsUntil == Sample.now + .seconds(expected))
    #expect(SDKWait(.notDetermined, interval: .seconds(seconds), version: version, sdk).note == nil, "the waiting has begun")
  }

  @Test("Later events wait as long as the first one, and all leave in their order, once")
  func order() {
    var sdk = MeasurementSDK()
    let end = sdk.hold(event("first"), for: .seconds(30))
    #expect(sdk.hold(event("second", after: .seconds(20)), for: .seconds(90)) == end)
    #expect(sdk.release().map(\.name) == ["first", "second"])
    #expect(sdk.waitsUntil == nil && sdk.hasWaited && sdk.held.isEmpty)
    #expect(sdk.release().isEmpty)
  }

  @Test("An SDK that has not waited can wait after an answer that no event waited for")
  func releaseWithoutWaiting() {
    var sdk = MeasurementSDK()
    #expect(sdk.release().isEmpty && !sdk.hasWaited)
  }

  private func reason(_ status: TrackingStatus, _ seconds: Int64, _ sdk: MeasurementSDK = MeasurementSDK()) -> String? {
    var evaluation = RuleEvaluation(of: DeviceRuleBook.sdkEvent)
    return evaluation.firstViolation(of: SDKWait.rules, to: SDKWait(status, interval: .seconds(seconds), version: 5, sdk))?
      .reason.code
  }

  @Test("An event waits while the user has not answered, with an interval, once")
  func rules() {
    #expect(reason(.notDetermined, 30) == nil)
    for status in [TrackingStatus.restricted, .denied, .authorized] { #expect(reason(status, 30) == "status-determined") }
    #expect(reason(.notDetermined, 0) == "no-waiting-interval")
    var sdk = MeasurementSDK()
    _ = sdk.hold(event(), for: .seconds(30))
    // Otherwise, it would overtake the events that wait.
    #expect(reason(.notDetermined, 0, sdk) == nil)
    _ = sdk.release()
    #expect(reason(.notDetermined, 30, sdk) == "waiting-over")
  }

  /// The table of hosts.
  static let hosts: [(String, String, String)] = [
    ("default", "analytics.adjust.com", "consent.adjust.com"),
    ("ADJDataResidencyEU", "analytics.eu.adjust.com", "consent.eu.adjust.com"),
    ("ADJDataResidencyTR", "analytics.tr.adjust.com", "consent.tr.adjust.com"),
    ("ADJDataResidencyUS", "analytics.us.adjust.com", "consent.us.adjust.com"),
    ("ADJUrlStrategyChina", "analytics.adjust.world", "consent.adjust.world"),
    ("ADJUrlStrategyCn", "analytics.adjust.cn", "consent.adjust.cn"),
    ("ADJUrlStrategyCnOnly", "analytics.adjust.cn", "consent.adjust.cn"),
    ("ADJUrlStrategyIndia", "analytics.adjust.net.in", "consent.adjust.net.in"),
  ]

  @Test(
    "The default, China, Cn, and India have a second domain, and the others have none",
    arguments: [
      (.standard, "adjust.world"), (.china, "adjust.com"), (.cn, "adjust.com"), (.cnOnly, nil), (.india, "adjust.com"),
      (.dataResidencyEU, nil), (.dataResidencyTR, nil), (.dataResidencyUS, nil),
    ] as [(SDKURLStrategy, String?)])
  func secondDomain(_ strategy: SDKURLStrategy, _ second: String?) {
    #expect(Array(strategy.hosts.domains.dropFirst()) == [second].compactMap { $0 })
    #expect(strategy.hosts.names(withConsent: true).dropFirst().first == second.map { "consent.\($0)" })
  }

  @Test("The domains of SDK 5 have subdomains, or are the hosts")
  func domains() {
    let domains = ["eu.adjust.com", "metrics.example"]
    let hosts = SDKHosts(domains: domains, usesSubdomains: true)
    #expect(hosts.names(withConsent: false) == ["analytics.eu.adjust.com", "analytics.metrics.example"])
    #expect(SDKHosts(domains: domains, usesSubdomains: false).names(withConsent: true) == domains)
  }

  @Test("A request falls back to each further host once")
  func fallback() {
    var evaluation = RuleEvaluation()
    let departure = SDKDeparture(event("purchase", .india), of: AppTracking("a"), as: .denied, device: Self.device)
    var (request, _) = departure.request(id: 7, at: Sample.now, &evaluation)
    #expect(request.url == "https://analytics.adjust.net.in/event" && request.fallbackURLs.count == 1)
    request.state = .sending
    #expect(request.fallBack() == "https://analytics.adjust.com/event")
    #expect(request.url == "https://analytics.adjust.com/event" && request.dueAt == Sample.now)
    #expect(request.fallBack() == nil && request.url == "https://analytics.adjust.com/event")
  }

  @Test("The table has all strategies")
  func strategies() { #expect(Self.hosts.map(\.0) == SDKURLStrategy.allCases.map(\.rawValue)) }

  @Test(
    "The status and the strategy decide about the host, and consent about the fields", arguments: hosts, TrackingStatus.allCases
  )
  func departure(_ row: (String, String, String), _ status: TrackingStatus) throws {
    let strategy = try #require(SDKURLStrategy(rawValue: row.0))
    var tracking = AppTracking("com.example.shop")
    tracking.sdk.startedAt = Sample.now
    var evaluation = RuleEvaluation(of: DeviceRuleBook.sdkRequest)
    let (request, omission) = SDKDeparture(event("purchase", strategy), of: tracking, as: status, device: Self.device)
      .request(id: 7, at: Sample.now + .seconds(5), &evaluation)
    let hasConsent = status == .authorized
    #expect(request.url == "https://\(hasConsent ? row.2 : row.1)/event")
    #expect(omission?.code == (hasConsent ? nil : "tracking-not-authorized"))
    let body = try #require(JSON(parsing: Array(request.body.utf8)))
    let names = ["event", "bundle_id", "created_at", "att_status"] + (hasConsent ? ["idfa", "started_at"] : [])
    #expect(body.members.map(\.name) == names)
    #expect(body["att_status"] == .number(status.rawValue))
    #expect(body["idfa"]?.string == (hasConsent ? Self.device.uppercased() : nil))
    #expect(request.dueAt == Sample.now + .seconds(5))
  }

  @Test(
    "A host of the SDK is recognized",
    arguments: [
      ("analytics.adjust.com", true), ("CONSENT.EU.ADJUST.COM", true), ("consent.adjust.com.", true),
      ("consent.adjust.net.in", true), ("analytics.adjust.world", true), ("adjust.com", false),
      ("a.analytics.adjust.com", false), ("127.0.0.1", false),
      ("analytics.adjust.com.example", false), ("", false),
    ])
  func owned(_ host: String, _ isOwned: Bool) { #expect(SDKURLStrategy.hasHost(host) == isOwned) }
}
