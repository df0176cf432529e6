package import PCMCore
import PCMStore
package import PCMURL

extension Browser {
  /// Clears measurements and cookies, of all sites or of one (reference, section 11). The log stays.
  package func clear(_ site: Site?) async throws {
    try await lock.sharing {
      let call = journaling.call(CallName.clear, site.map { ["site": .string($0.domain)] } ?? .object([]))
      withState { live in
        live.cookies.clear(site)
        if site == nil {
          live.rejectedCalls.removeAll()
          live.quietLoads.removeAll()
        }
      }
      try await submit(call, isTimed: true) { [isShared = store.isShared] writer, state in
        try writer.beginRemoval()
        if isShared { try writer.changeCookies { $0.clear(site) } }
        if let site { try writer.clear(naming: site, at: state.now) } else { try writer.clearAll(at: state.now) }
      }.answer()
    }
  }

  /// Returns the site of a host or a registrable domain that a caller specifies.
  package func site(ofHost text: String) throws -> Site { try environment.sites.namedSite(text) }
}

extension SiteParser {
  /// Returns the site of a host or a registrable domain that a caller specifies.
  package func namedSite(_ text: String) throws(BrowserError) -> Site {
    let found: WebURL
    do throws(URLParsingError) {
      found = try url("https://\(text)/")
    } catch {
      throw .invalidInput([InputError(["site"], error.detail)])
    }
    guard found.path == "/", found.query == nil, found.port == nil, !found.hasCredentials, !found.hasFragment else {
      throw .invalidInput([InputError(["site"], "give a domain only, such as shop.example")])
    }
    return found.site
  }
}

extension BrowserWriter {
  /// Clears everything, including the timer and the ephemeral clicks.
  fileprivate func clearAll(at now: Instant) throws {
    let clicks = try ClickPlace.allCases.reduce(0) { try $0 + removeAllClicks(in: $1) }
    let attributions = try SessionKind.allCases.reduce(0) { try $0 + removeAllAttributions(in: $1) }
    let reports = try withdraw(unfinishedReports(naming: nil), by: .cleared, at: now)
    var state = try state()
    state.reportTimer.stop()
    try save(state)
    let device = try clearDevice(at: now)
    try logClearing(site: nil, clicks: clicks, attributions: attributions, reports: reports, device: device, at: now)
  }

  /// Removes the ads, the installed apps, and the content cards of the device, its tracking of apps, and requests
  /// of measurement SDKs, and withdraws its postbacks. Ad networks, properties, and settings stay, as apps do.
  private func clearDevice(at now: Instant) throws -> DataCleared.DeviceCounts {
    // An ad of AdAttributionKit whose view counted is in both places.
    let ads = try [DeviceRow.Kind.impression, .view, .signedText].flatMap { try deviceRows($0, after: "", limit: .max) }
    let apps = try deviceRows(.installedApp, after: "", limit: .max)
    let cards = try deviceRows(.card, after: "", limit: .max)
    for row in ads + apps + cards { try remove(DeviceRow.self, row.key) }
    try removeAllTracking()
    let underWay = try postbacks(in: .sending, after: 0, limit: .max)
    let postbacks = try postbacks(in: .scheduled, after: 0, limit: .max) + underWay
    for var postback in postbacks { _ = try apply(.cleared, to: &postback, at: now) }
    return DataCleared.DeviceCounts(
      impressions: Int64(Set(ads.map(\.key.name)).count), installedApps: Int64(apps.count), postbacks: Int64(postbacks.count))
  }

  /// Clears one site. Ephemeral clicks and the timer stay: a round that finds nothing does nothing.
  fileprivate func clear(naming site: Site, at now: Instant) throws {
    var clicks = 0
    for place in ClickPlace.clearedBySite {
      let named = try self.clicks(in: place, naming: site)
      for click in named { try removeClick(click.click.key, in: place) }
      clicks += named.count
    }
    var attributions = 0
    for session in SessionKind.allCases {
      let named = try self.attributions(in: session, naming: site)
      for attribution in named { try removeAttribution(attribution.key, in: session) }
      attributions += named.count
    }
    let reports = try withdraw(unfinishedReports(naming: site), by: .cleared, at: now)
    try logClearing(site: site, clicks: clicks, attributions: attributions, reports: reports, at: now)
  }

  /// Removes a private session's measurement and its pending reports, for the next click or at the end of the session.
  func dropPrivateMeasurements(by event: OutgoingMessage.Event, at now: Instant) throws {
    _ = try removeAllClicks(in: .privateTable)
    let attributions = try attributions(in: .privateBrowsing, after: 0, limit: .max)
    for attribution in attributions {
      let halves = [attribution.source, attribution.destination].compactMap { $0 }
      _ = try withdraw(halves.compactMap { try row(Report.self, $0.report) }, by: event, at: now)
    }
    _ = try removeAllAttributions(in: .privateBrowsing)
  }

  func withdraw(_ reports: [Report], by event: OutgoingMessage.Event, at now: Instant) throws -> Int {
    for var report in reports { _ = try apply(event, to: &report, at: now) }
    return reports.count
  }

  private func logClearing(
    site: Site?, clicks: Int, attributions: Int, reports: Int, device: DataCleared.DeviceCounts = .init(), at now: Instant
  ) throws {
    try append(
      DataCleared(
        site: site, clicks: Int64(clicks), attributions: Int64(attributions), reports: Int64(reports), device: device),
      at: now)
  }
}

extension BrowserReader {
  /// Returns the waiting reports and the reports in flight, which must not be retried after a failure.
  func unfinishedReports(naming site: Site?) throws -> [Report] {
    let underWay = try reports(in: .sending, after: 0, limit: .max)
    return try scheduledReports(naming: site) + underWay.filter { report in site.map { report.key.names($0) } ?? true }
  }
}
