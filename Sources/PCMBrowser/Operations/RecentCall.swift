import PCMCore

/// A call about a site that logged nothing: it returned an error, or it is a load that triggered nothing.
struct RecentCall: Hashable, Sendable {
  let sites: Set<Site>
  /// A sentence for the end of a summary.
  let sentence: String

  init(rejected path: String, at: Instant, about sites: Set<Site>, problems: [InputError]) {
    let what = problems.map { "\($0.path.joined(separator: ".")): \($0.detail.withoutFullStop)" }.joined(separator: "; ")
    self.sites = sites
    sentence = "A call to \(path.split(separator: "/").last ?? "") at \(at.text) was rejected: \(what)."
  }

  init(load url: WebURL, at: Instant, on page: WebURL, reason: Reason) {
    sites = [page.site]
    sentence =
      "The load of \(url.text.withMarkedUserInformation) at \(at.text) triggered nothing: \(reason.detail.withoutFullStop)."
  }
}

extension String {
  fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

/// The most recent calls of a browser that logged nothing, kept in memory for explanations.
struct RecentCalls {
  private var calls: [RecentCall] = []

  private static let maximumCount = 20
  private static let maximumInOneAnswer = 3

  mutating func add(_ call: RecentCall) {
    calls.append(call)
    if calls.count > Self.maximumCount { calls.removeFirst() }
  }

  mutating func removeAll() { calls.removeAll() }

  mutating func removeAll(about site: Site) { calls.removeAll { $0.sites.contains(site) } }

  /// Returns the last calls about a site, oldest first.
  func about(_ site: Site) -> [RecentCall] {
    Array(calls.filter { $0.sites.contains(site) }.suffix(Self.maximumInOneAnswer))
  }
}

extension Browser {
  /// Runs a call, and records the errors of its body for explanations of the sites that the body names.
  ///
  /// - Parameters:
  ///   - path: The path of the call.
  ///   - body: The body. It may have members that no call has.
  package func recordingErrors<Value>(
    of path: String, body: [UInt8], _ call: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await call()
    } catch {
      let problems =
        switch error {
        case BodyError.invalid(let problems), BrowserError.invalidInput(let problems): problems
        default: [InputError]()
        }
      let sites = problems.isEmpty ? [] : sites(in: JSON(parsing: body) ?? .null)
      // Without a time, the call is not recorded. Its error is the answer.
      if !sites.isEmpty, let now = try? await currentTime() {
        withState { $0.rejectedCalls.add(RecentCall(rejected: path, at: now, about: sites, problems: problems)) }
      }
      throw error
    }
  }

  /// The sites of the URLs in a body, also of a URL without its scheme. The page with a link is no destination.
  private func sites(in body: JSON) -> Set<Site> {
    let texts = body.members.prefix(64).compactMap { $0.name == "pageURL" ? nil : $0.value.string }
    let urls = texts.compactMap { environment.url($0) ?? ($0.contains(".") ? environment.url("https://\($0)") : nil) }
    return Set(urls.map(\.site).filter { !$0.domain.isEmpty })
  }

  /// Keeps the newest load of a page's site if it triggered nothing and logged nothing.
  func rememberQuietLoad(_ load: PageLoad) async throws {
    let now = try await currentTime()
    withState { live in
      live.quietLoads.removeAll(about: load.page.site)
      guard let reason = load.outcome.reason, load.outcome.ignored.isEmpty else { return }
      live.quietLoads.add(RecentCall(load: load.firstURL, at: now, on: load.page, reason: reason))
    }
  }
}
