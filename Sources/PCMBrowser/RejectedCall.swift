import PCMCore

/// A call that returned an error and logged nothing.
struct RejectedCall: Hashable, Sendable {
  /// The last component of the call's path: `event-attributions`.
  let resource: String
  let at: Instant
  /// The destination of the click, or the site of the event.
  let destination: Site
  let problems: [InputError]

  /// A sentence for the end of a summary.
  var sentence: String {
    let what = problems.map { "\($0.path.joined(separator: ".")): \($0.detail.withoutFullStop)" }.joined(separator: "; ")
    return "A call to \(resource) at \(at.text) was rejected: \(what)."
  }
}

extension String {
  fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

/// The most recent rejected calls of a browser, kept in memory for explanations.
struct RejectedCalls {
  private var calls: [RejectedCall] = []

  private static let maximumCount = 20
  private static let maximumInOneAnswer = 3

  mutating func add(_ call: RejectedCall) {
    calls.append(call)
    if calls.count > Self.maximumCount { calls.removeFirst() }
  }

  mutating func removeAll() { calls.removeAll() }

  /// Returns the last calls about a site, oldest first.
  func about(_ site: Site) -> [RejectedCall] {
    Array(calls.filter { $0.destination == site }.suffix(Self.maximumInOneAnswer))
  }
}

extension Browser {
  /// Runs the check of an input and records its error.
  ///
  /// - Parameter destination: The URL of the click's destination, or of the page of the event.
  func checked<Value>(
    _ resource: String, destination: String?, _ check: () throws(BrowserError) -> Value
  ) throws(BrowserError) -> Value {
    do throws(BrowserError) {
      return try check()
    } catch {
      if case .invalidInput(let problems) = error, let site = destination.flatMap(world.url)?.site, !site.domain.isEmpty {
        withState { live in
          live.rejectedCalls.add(RejectedCall(resource: resource, at: live.now, destination: site, problems: problems))
        }
      }
      throw error
    }
  }
}
