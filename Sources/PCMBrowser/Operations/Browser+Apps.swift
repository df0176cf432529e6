package import PCMCore
package import PCMManifest
import PCMStore
import PCMURL

extension Browser {
  /// The maximum number of apps of a browser.
  package static let maximumAppCount = 1_000

  /// Registers an app, or replaces the registration of its bundle identifier.
  ///
  /// - Parameters:
  ///   - plist: Returns the manifest as an XML property list without the endpoint's user information, for the journal; nil for
  ///     a manifest with only a bundle identifier and a report endpoint.
  ///   - registration: Returns the value of the step that registers an app with members that a manifest does not contain, for
  ///     the journal; nil without such members.
  ///   - itemIdentifier: The identifier in the App Store, which a manifest does not contain.
  ///   - build: How the app was built; by default, from the manifest.
  package func register(
    _ manifest: AppManifest, plist: (() throws -> String)? = nil, registration: (() -> JSON)? = nil,
    itemIdentifier: Int64? = nil, build: AppBuild? = nil
  ) async throws -> RegisteredApp {
    let app = AppRecord(manifest, itemIdentifier: itemIdentifier, build: build ?? AppBuild(platform: manifest.platform))
    let facts = app.facts(sites: environment.sites)
    let settings = try await lock.excluding {
      let call = try journaling.call(
        CallName.app, try registration?() ?? plist.map { ["plist": .string(try $0())] } ?? manifest.action)
      return try await submit(call) { writer, state in
        guard state.registry.app(app.bundleIdentifier) != nil || state.registry.appCount < Self.maximumAppCount else {
          throw BrowserError.limitReached("the browser has \(Self.maximumAppCount) apps, the maximum; delete one first")
        }
        try writer.save(app)
        try writer.append(
          AppRegistered(
            bundleIdentifier: app.bundleIdentifier, reportEndpoint: app.reportEndpoint, findings: .verbatim(app.findings)),
          at: state.now)
        state.registry.set(facts, for: app.bundleIdentifier)
        return state.settings
      }.answer()
    }
    return RegisteredApp(app, facts: facts, reportURL: settings.reportURL)
  }

  /// Returns the apps after a bundle identifier, ordered by it.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of apps.
  ///   - bytes: The size of their texts after which one more app ends the list.
  package func registeredApps(
    after bundleIdentifier: String = "", limit: Int = maximumAppCount, bytes: Int = .max
  ) async throws -> [RegisteredApp] {
    let (records, reportURL) = try await read { reader -> ([AppRecord], ReportURLChoice) in
      var (records, size) = ([AppRecord](), 0)
      while let record = try reader.app(after: records.last?.bundleIdentifier ?? bundleIdentifier) {
        records.append(record)
        guard records.count < limit, size < bytes else { break }
        size += record.findings.utf8.count + record.adAttribution.utf8.count
      }
      return (records, try reader.state().settings.reportURL)
    }
    return records.map { RegisteredApp($0, facts: $0.facts(sites: environment.sites), reportURL: reportURL) }
  }

  /// Returns the bundle identifiers of the apps by their identifiers in the App Store.
  package func appsByItemIdentifier() async throws -> [Int64: String] {
    try await read { reader in
      var (apps, last) = ([Int64: String](), "")
      while let app = try reader.app(after: last) {
        if let item = app.itemIdentifier { apps[item] = app.bundleIdentifier }
        last = app.bundleIdentifier
      }
      return apps
    }
  }

  package func registeredApp(_ bundleIdentifier: String) async throws -> RegisteredApp {
    let (app, reportURL) = try await read {
      (try $0.row(AppRecord.self, bundleIdentifier), try $0.state().settings.reportURL)
    }
    guard let app else { throw BrowserError.unknownApp(bundleIdentifier: bundleIdentifier) }
    return RegisteredApp(app, facts: app.facts(sites: environment.sites), reportURL: reportURL)
  }

  /// Removes an app with its content cards. Its clicks stay: a browser keeps its measurements when an app is deleted.
  package func remove(app bundleIdentifier: String) async throws {
    try await lock.excluding {
      let call = journaling.call(CallName.removeApp, .string(bundleIdentifier))
      try await submit(call) { writer, state in
        guard state.registry.app(bundleIdentifier) != nil else {
          throw BrowserError.unknownApp(bundleIdentifier: bundleIdentifier)
        }
        try writer.beginRemoval()
        try writer.remove(AppRecord.self, bundleIdentifier)
        try writer.removeCards(of: bundleIdentifier)
        try writer.removeTracking(of: bundleIdentifier)
        state.registry.set(nil as AppTap.App?, for: bundleIdentifier)
      }.answer()
    }
  }
}

extension BrowserReader {
  /// Returns the next app after a bundle identifier. Manifests may have long findings, so apps are read one by one.
  fileprivate func app(after bundleIdentifier: String) throws -> AppRecord? {
    try rows(AppRecord.Query.after(bundleIdentifier, limit: 1)).first
  }
}

/// The description of a registered app.
package struct RegisteredApp: Hashable, Sendable {
  package let bundleIdentifier: String
  package let reportEndpoint: String?
  /// The click source; nil when the endpoint is missing or invalid.
  package let sourceSite: String?
  /// The URL for the source's reports under the current settings.
  package let reportURL: String?
  /// The findings as a JSON array.
  package let findings: String
  package let itemIdentifier: Int64?
  package let build: AppBuild
  /// The values that a device reads from the manifest, as a JSON object; nil for an app that was registered before the manifest
  /// was read for them.
  package let adAttribution: String

  init(_ record: AppRecord, facts: AppTap.App, reportURL: ReportURLChoice) {
    bundleIdentifier = record.bundleIdentifier
    reportEndpoint = record.reportEndpoint
    findings = record.findings
    itemIdentifier = record.itemIdentifier
    build = record.build
    adAttribution = record.adAttribution
    guard case .valid(let endpoint, let written) = facts.endpoint else {
      (sourceSite, self.reportURL) = (nil, nil)
      return
    }
    sourceSite = endpoint.site.domain
    self.reportURL = reportURL == .manifest ? written : ReportBody.url(at: endpoint.site)
  }
}

extension AppManifest {
  /// The value of the step that registers an app with only these two values.
  fileprivate var action: JSON {
    let endpoint = review.reportEndpoint.map { [JSON.Member("reportEndpoint", .string($0))] } ?? []
    return .object([.init("bundleIdentifier", .string(bundleIdentifier))] + endpoint)
  }
}

extension AppRecord {
  init(_ manifest: AppManifest, itemIdentifier: Int64?, build: AppBuild) {
    let problem: String? = if case .invalid(let why) = manifest.app.endpoint { why } else { nil }
    self.init(
      bundleIdentifier: manifest.bundleIdentifier, reportEndpoint: manifest.reportEndpoint?.withoutUserInformation,
      endpointError: problem, build: build, findings: JSON.array(manifest.findings.map(\.json)).text,
      itemIdentifier: itemIdentifier, adAttribution: manifest.adAttribution.json.text)
  }

  /// The app as input of the click rules.
  func facts(sites: SiteParser) -> AppTap.App {
    AppTap.App(bundleIdentifier: bundleIdentifier, endpoint: endpoint(sites: sites), platform: build.platform)
  }

  private func endpoint(sites: SiteParser) -> AppTap.Endpoint {
    if let endpointError { return .invalid(why: endpointError) }
    guard let reportEndpoint else { return .missing }
    guard let url = try? sites.url(reportEndpoint) else { return .invalid(why: "\(reportEndpoint) is not a URL") }
    return .valid(url, written: reportEndpoint)
  }
}
