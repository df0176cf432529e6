import PCMCore

/// A call about a site that logged nothing: it returned an error, or it is a load that triggered nothing.
struct RecentCall: Hashable, Sendable {
  /// The destination of the click, or the site of the page.
  let destination: Site
  /// A sentence for the end of a summary.
  let sentence: String

  init(rejected path: String, at: Instant, destination: Site, problems: [InputError]) {
    let what = problems.map { "\($0.path.joined(separator: ".")): \($0.detail.withoutFullStop)" }.joined(separator: "; ")
    self.destination = destination
    sentence = "A call to \(path.split(separator: "/").last ?? "") at \(at.text) was rejected: \(what)."
  }

  init(load url: WebURL, at: Instant, on page: WebURL, reason: Reason) {
    destination = page.site
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

  mutating func removeAll(about site: Site) { calls.removeAll { $0.destination == site } }

  /// Returns the last calls about a site, oldest first.
  func about(_ site: Site) -> [RecentCall] {
    Array(calls.filter { $0.destination == site }.suffix(Self.maximumInOneAnswer))
  }
}

extension Browser {
  /// Runs the check of an input, and its decision, and records an error of the input.
  ///
  /// - Parameters:
  ///   - path: The path of the call.
  ///   - destination: The URL of the click's destination, or of the page of the event.
  func checked<Value>(
    _ path: String, destination: String?, _ check: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await check()
    } catch BrowserError.invalidInput(let problems) {
      // Without a time, the call is not recorded. Its error is the answer.
      if let site = destination.flatMap(world.url)?.site, !site.domain.isEmpty, let now = try? await now() {
        withState { $0.rejectedCalls.add(RecentCall(rejected: path, at: now, destination: site, problems: problems)) }
      }
      throw BrowserError.invalidInput(problems)
    }
  }

  /// Keeps the newest load of a page's site if it triggered nothing and logged nothing.
  func keep(_ load: PageLoad) async throws {
    let now = try await now()
    withState { live in
      live.quietLoads.removeAll(about: load.page.site)
      guard let reason = load.outcome.reason, load.outcome.ignored.isEmpty else { return }
      live.quietLoads.add(RecentCall(load: load.firstURL, at: now, on: load.page, reason: reason))
    }
  }
}
