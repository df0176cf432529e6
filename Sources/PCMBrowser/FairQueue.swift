/// Decides which requests run: a limited number at a time, of which those to one target take a part only.
///
/// The requests to one target run in order. Targets take turns, so that many requests to one of them do not delay those to
/// others.
struct FairQueue<Request: Sendable>: Sendable {
  /// The requests to one target.
  private struct Line {
    var runningCount = 0
    /// In order of arrival.
    var waiting: [Request] = []
  }

  private let capacity: Int
  private let share: Int
  private var runningCount = 0
  private var lines: [String: Line] = [:]
  /// The targets of waiting requests that have not used up their share, in the order of their turns. Empty while there is
  /// capacity.
  private var turns: [String] = []

  /// - Parameters:
  ///   - capacity: The number of requests that run at a time.
  ///   - share: The number of those to one target.
  init(capacity: Int, share: Int) {
    (self.capacity, self.share) = (capacity, share)
  }

  /// The number of requests that wait.
  var waitingCount: Int { lines.values.reduce(0) { $0 + $1.waiting.count } }

  /// Adds a request. Returns whether it runs; otherwise it waits.
  mutating func enter(_ request: Request, to target: String) -> Bool {
    let hasShare = (lines[target]?.runningCount ?? 0) < share
    if hasShare, runningCount < capacity {
      start(target)
      return true
    }
    lines[target, default: Line()].waiting.append(request)
    if hasShare, lines[target]?.waiting.count == 1 { turns.append(target) }
    return false
  }

  /// Ends a request. Returns the next one, which then runs; nil when none may.
  mutating func leave(_ target: String) -> Request? {
    guard var line = lines[target] else { return nil }
    let hadShare = line.runningCount < share
    line.runningCount -= 1
    runningCount -= 1
    lines[target] = line.runningCount == 0 && line.waiting.isEmpty ? nil : line
    if !hadShare, !line.waiting.isEmpty { turns.append(target) }
    return startNext()
  }

  private mutating func startNext() -> Request? {
    guard let target = turns.first else { return nil }
    turns.removeFirst()
    let request = lines[target]?.waiting.removeFirst()
    start(target)
    if let line = lines[target], line.runningCount < share, !line.waiting.isEmpty { turns.append(target) }
    return request
  }

  private mutating func start(_ target: String) {
    runningCount += 1
    lines[target, default: Line()].runningCount += 1
  }
}
