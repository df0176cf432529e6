import BrowserSupport
import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import PCMCore
import PCMHTTP
import PCMNetwork
import PCMStore
import Testing

/// `/metrics` as a scraper reads it.
@Suite struct MetricsTests {
  private func test(
    store: any Store = MemoryStore(), transport: ScriptedTransport = ScriptedTransport(), access: AccessRules = .open,
    _ body: @escaping @Sendable (API) async throws -> Void
  ) async throws {
    let api = try await API.metered(store: store, transport: transport)
    try await Application(router: api.router(access: access)).test(.router) { try await body(API(client: $0)) }
  }

  private static let browser = #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"},"seed":"seed"}"#

  private func prepare(_ api: API, _ body: String = browser) async throws {
    #expect(try await api.call(.put, "/v1/browsers/test", body).status < 300)
    #expect(try await api.put(manifest: "news-reader").status == 200)
  }

  /// A tap and a purchase, after which two reports wait.
  private func attribute(_ api: API) async throws {
    #expect(try await api.call(.post, "/v1/browsers/test/event-attributions", API.eventAttribution).status == 201)
    #expect(try await api.call(.post, "/v1/browsers/test/triggering-events", API.trigger).status == 201)
  }

  private func scrape(_ api: API) async throws -> Scrape {
    let answer = try await api.call(.get, "/metrics")
    #expect(answer.status == 200)
    #expect(answer.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
    return try Scrape(answer.text)
  }

  private func gauges(_ api: API) async throws -> [Double?] {
    let values = try await scrape(api).values
    return ["pcm_browsers", "pcm_reports_scheduled", "pcm_reports_overdue"].map { values["\($0){storage=\"durable\"}"] }
  }

  @Test func countersMatchTheEvents() async throws {
    try await test { api in
      let before = try await scrape(api)
      try await prepare(api)
      try await attribute(api)
      let unverified = API.eventAttribution.replacing("true", with: "false")
      try await api.call(.post, "/v1/browsers/test/event-attributions", unverified)
      #expect(try await api.call(.post, "/v1/browsers/test/clock/advance", #"{"by":"PT48H"}"#).status == 200)
      #expect(try await api.call(.get, "/v1/browsers/nobody").status == 404)
      let growth = try await scrape(api).growth(since: before).filter { !$0.key.hasPrefix("pcm_store_seconds") }
      var expected: [String: Double] = [
        "pcm_event_reasons_total{kind=\"click-discarded\",code=\"tap-not-verified\"}": 1,
        "pcm_browsers{storage=\"durable\"}": 1,
        "pcm_delivery_attempts_total{result=\"delivered\"}": 2,
        "pcm_delivery_seconds_count{outcome=\"delivered\"}": 2,
        "pcm_http_requests_total{route=\"/metrics\",method=\"GET\",status=\"2xx\"}": 1,
        "pcm_http_requests_total{route=\"/v1/browsers/{browser}\",method=\"PUT\",status=\"2xx\"}": 1,
        "pcm_http_requests_total{route=\"/v1/browsers/{browser}\",method=\"GET\",status=\"4xx\"}": 1,
        "pcm_http_requests_total{route=\"/v1/browsers/{browser}/apps\",method=\"PUT\",status=\"2xx\"}": 1,
        "pcm_http_requests_total{route=\"/v1/browsers/{browser}/event-attributions\",method=\"POST\",status=\"2xx\"}": 2,
        "pcm_http_requests_total{route=\"/v1/browsers/{browser}/triggering-events\",method=\"POST\",status=\"2xx\"}": 1,
        "pcm_http_requests_total{route=\"/v1/browsers/{browser}/clock/advance\",method=\"POST\",status=\"2xx\"}": 1,
      ]
      let kinds: [(EventKind, Double)] = [
        (.appRegistered, 1), (.clickStored, 1), (.clickDiscarded, 1), (.triggerAccepted, 1), (.attributed, 1),
        (.reportScheduled, 2), (.reportSent, 2), (.reportDelivered, 2), (.clockAdvanced, 1),
      ]
      for (kind, count) in kinds { expected["pcm_events_total{kind=\"\(kind.rawValue)\"}"] = count }
      #expect(growth == expected)
    }
  }

  @Test func failedDeliveriesAreCountedByReason() async throws {
    let transport = ScriptedTransport { _, number in
      number == 1 ? Exchange(httpStatus: 503) : Exchange(failure: TransportFailure(.timedOut, "slow.example was slow"))
    }
    try await test(transport: transport) { api in
      try await prepare(api)
      try await attribute(api)
      try await api.call(.post, "/v1/browsers/test/clock/advance", #"{"untilIdle":true}"#)
      let values = try await scrape(api).values
      #expect(values["pcm_delivery_attempts_total{result=\"http-status\"}"] == 1)
      #expect(values["pcm_delivery_attempts_total{result=\"timed-out\"}"] == 1)
      #expect(values["pcm_delivery_seconds_count{outcome=\"failed\"}"] == 2)
      #expect(values["pcm_event_reasons_total{kind=\"report-failed\",code=\"timed-out\"}"] == 1)
    }
  }

  @Test func scheduledAndOverdueReportsAreCounted() async throws {
    try await test { api in
      try await prepare(api)
      #expect(try await gauges(api) == [2, 0, 0])
      try await attribute(api)
      #expect(try await gauges(api) == [2, 2, 0])
      // Reports that are due while measurement is off wait, and are overdue.
      try await api.call(.patch, "/v1/browsers/test", #"{"settings":{"measurementEnabled":false}}"#)
      try await api.call(.post, "/v1/browsers/test/clock/advance", #"{"by":"PT48H"}"#)
      #expect(try await gauges(api) == [2, 2, 2])
      try await api.call(.patch, "/v1/browsers/test", #"{"settings":{"measurementEnabled":true}}"#)
      try await api.call(.post, "/v1/browsers/test/clock/advance", #"{"toNextEvent":true}"#)
      #expect(try await gauges(api) == [2, 1, 1])
      try await api.call(.delete, "/v1/browsers/test/data")
      #expect(try await gauges(api) == [2, 0, 0])
    }
  }

  @Test func labelsAreBounded() async throws {
    try await test { api in
      try await prepare(api)
      for number in 0..<40 {
        let odd = "x\(number)%22%7D%0A%5C"
        try await api.call(.get, "/\(odd)")
        try await api.call(.get, "/v1/browsers/\(odd)/events?\(odd)=\(odd)")
        try await api.call(.put, "/v1/browsers/name-\(number)", #"{"storage":"ephemeral"}"#)
        try await api.call(HTTPRequest.Method("ODD\(number)") ?? .trace, "/v1/browsers")
        let click = #"{"pageURL":"https://a\#(number).example/","attributionSourceID":"\#(number + 250)"}"#
        try await api.call(.post, "/v1/browsers/test/link-clicks", click)
      }
      let scrape = try await scrape(api)
      let labels = scrape.labelValues
      #expect(
        Set(labels.keys) == [
          "kind", "code", "result", "outcome", "storage", "operation", "route", "method", "status",
          "reason", "version",
        ])
      #expect(labels["kind"]?.isSubset(of: EventKind.allCases.map(\.rawValue)) == true)
      let codes = try ReasonCodes.inSources()
      #expect(labels["code"]?.isSubset(of: codes) == true)
      #expect(labels["method"] == ["GET", "PUT", "POST", "other"])
      #expect(labels["route"]?.filter { !$0.hasPrefix("/") || $0.contains("x") } == ["other"])
      #expect(labels["storage"] == ["durable", "ephemeral"])
      #expect(scrape.values.count < 300, "\(scrape.values.count) series")
      #expect(scrape.values["pcm_browsers{storage=\"ephemeral\"}"] == 40)
    }
  }

  @Test func metricsContainTheVersionAndStartTime() async throws {
    try await test { api in
      let values = try await scrape(api).values
      #expect(values["pcm_build_info{version=\"1.2.3\"}"] == 1)
      #expect(values["process_start_time_seconds"] == 1_795_168_800)
    }
  }
}
