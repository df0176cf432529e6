import PCMBrowser
import PCMCore

/// The counts of a part of a simulation. The counts of parts add up in any order.
struct SimulationCounts: Hashable, Sendable {
  /// The clicks with an identifier.
  struct Identifier: Hashable, Sendable {
    fileprivate(set) var clicks = 0
    /// The triggering events that last-click attribution without limits gives to them.
    fileprivate(set) var lastClicks = 0
    /// The clicks with a report.
    fileprivate(set) var reported = 0
    /// A hash of their source and destination; `UInt64.max` for several.
    fileprivate var pair: UInt64?

    /// Whether clicks of several sources or destinations have it.
    var isShared: Bool { pair == .max }

    fileprivate mutating func use(of other: UInt64?) {
      guard let other else { return }
      pair = pair == nil || pair == other ? other : .max
    }
  }

  /// A kind of loss.
  struct Loss: Hashable, Sendable {
    let subject: SimulatedLoss.Subject
    let rule: String
    let reason: String
  }

  private(set) var events = 0
  /// The lines with a kind that the profile ignores.
  private(set) var ignored = 0
  private(set) var triggers = 0
  private(set) var sourceReports = 0
  private(set) var destinationReports = 0
  private(set) var losses: [Loss: Int] = [:]
  /// By identifier, and the last for clicks without a valid one.
  private(set) var identifiers = [Identifier](repeating: Identifier(), count: LastClicks.invalid + 1)
  /// The reported triggering events by their data.
  private(set) var triggerData = [Int](repeating: 0, count: 16)
  /// The reports by the full hours since their triggering events: less than 24, each hour from 24 to 47, and 48 or more.
  private(set) var delays = [Int](repeating: 0, count: 26)

  var apps = AppCounts()
  /// The values of the encodings that count them.
  private(set) var encodedValues: [EncodedValues] = []

  var clicks: Int { identifiers.reduce(0) { $0 + $1.clicks } }
  var reports: Int { sourceReports + destinationReports }
  /// The clicks with a report, and the triggering events with a report: each report names one of either.
  var reported: Int { triggerData.reduce(0, +) }
  var lastClicks: Int { identifiers.reduce(0) { $0 + $1.lastClicks } }

  mutating func count(_ action: SimulatedAction, _ last: inout LastClicks) {
    events += 1
    switch action.touch {
    case .click(let pair, let sourceID):
      let index = sourceID.map(Int.init) ?? LastClicks.invalid
      identifiers[index].clicks += 1
      identifiers[index].use(of: pair)
      if let pair { last[pair] = index }
    case .trigger(let pair):
      triggers += 1
      if let pair, let index = last[pair] { identifiers[index].lastClicks += 1 }
    case .device, nil: break
    }
  }

  /// Counts the value of an encoding.
  mutating func count(_ cells: EventCells, _ cell: Int, encoding index: Int) {
    while encodedValues.count <= index { encodedValues.append(EncodedValues()) }
    if cell < cells.count { encodedValues[index].count(cells[cell]) }
  }

  mutating func countIgnored() { ignored += 1 }

  mutating func count(_ report: SimulatedReport) {
    if report.recipient == .source { sourceReports += 1 } else { destinationReports += 1 }
    let hours = report.delay.milliseconds / Interval.hours(1).milliseconds
    delays[Int(min(max(hours, 23), 48)) - 23] += 1
    guard report.isFirst else { return }
    identifiers[Int(report.sourceID)].reported += 1
    triggerData[Int(report.triggerData)] += 1
  }

  mutating func count(_ loss: SimulatedLoss, times count: Int) {
    losses[Loss(subject: loss.subject, rule: loss.rule, reason: loss.reason), default: 0] += count
  }

  mutating func add(_ other: SimulationCounts) {
    events += other.events
    ignored += other.ignored
    triggers += other.triggers
    sourceReports += other.sourceReports
    destinationReports += other.destinationReports
    losses.merge(other.losses, uniquingKeysWith: +)
    for (index, identifier) in other.identifiers.enumerated() {
      identifiers[index].clicks += identifier.clicks
      identifiers[index].lastClicks += identifier.lastClicks
      identifiers[index].reported += identifier.reported
      identifiers[index].use(of: identifier.pair)
    }
    apps.add(other.apps)
    for (index, values) in other.encodedValues.enumerated() {
      if index < encodedValues.count { encodedValues[index].add(values) } else { encodedValues.append(values) }
    }
    for (index, count) in other.triggerData.enumerated() { triggerData[index] += count }
    for (index, count) in other.delays.enumerated() { delays[index] += count }
  }
}

/// The newest click of a user for each pair of a source and a destination, as the index of its identifier. That is last-click
/// attribution without limits: no days, no bits, no settings.
struct LastClicks {
  private var indices: [UInt64: Int] = [:]

  /// The index of clicks without a valid identifier.
  static let invalid = 256

  subscript(pair: UInt64) -> Int? {
    get { indices[pair] }
    set { indices[pair] = newValue }
  }

  /// A user with many pairs leaves no large table, which would be emptied for each later user.
  mutating func removeAll() { indices.removeAll(keepingCapacity: indices.count <= 64) }
}
