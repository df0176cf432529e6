import PCMCore
import PCMCrypto
import PCMEndpoint

/// The numbers of a log: outcomes, values, and faults.
struct LogSummary {
  enum Distribution: String, CaseIterable {
    case versions, campaigns, windows, values
  }

  struct Kind {
    fileprivate(set) var count = 0
    let fault: String
    let fix: String?
    let item: String
  }

  private(set) var outcomes: [JudgedItem.Outcome: Int] = [:]
  private var distributions: [Distribution: [String: Int]] = [:]
  private var kinds: [String: Kind] = [:]
  private var copies = FirstCopies<SIMD2<UInt64>>(capacity: Self.copyLimit)
  /// The files with the number of their first item.
  private var files: [(start: Int64, name: String)] = []
  private var number: Int64 = 0

  /// The maximum number of first copies, each of 32 to 64 bytes.
  private static let copyLimit = 3_000_000
  /// The maximum number of kinds of faults, and of values of a distribution, that are counted apart.
  private static let kindLimit = 20_000
  /// The number of values and of faults in a text.
  private static let shownCount = 8

  /// Counts an item, and returns it with its earlier copy.
  mutating func count(_ item: JudgedItem, of source: SignedItem) -> JudgedItem {
    let judged = compared(item, source)
    outcomes[judged.outcome, default: 0] += 1
    if judged.first == nil {
      for (distribution, value) in judged.facts { add(value, to: distribution) }
    }
    guard judged.outcome == .invalid || judged.outcome == .contradiction else { return judged }
    for fault in judged.faults { add(fault, of: judged) }
    return judged
  }

  private mutating func compared(_ item: JudgedItem, _ source: SignedItem) -> JudgedItem {
    if files.last?.name != source.file { files.append((number + 1, source.file)) }
    number = source.line.map { Int64($0) + (files.last?.start ?? 0) } ?? (number + 1)
    var item = item
    for identity in item.identities {
      guard let first = copies.duplicate(of: identity, item.values, number: number) else { continue }
      let file = files.last { $0.start <= first.number } ?? (0, source.file)
      let place = source.line == nil ? file.name : "\(file.name):\(first.number - file.start)"
      item.isCopy(ofItemAt: place, changed: first.changed)
    }
    return item
  }

  private mutating func add(_ value: String, to distribution: Distribution) {
    let isNew = distributions[distribution]?[value] == nil
    let isFull = isNew && distributions[distribution]?.count ?? 0 >= Self.kindLimit
    distributions[distribution, default: [:]][isFull ? "others" : value, default: 0] += 1
  }

  private mutating func add(_ fault: Fault, of item: JudgedItem) {
    let sentence = VerdictText.sentence(fault)
    // Faults that differ only in numbers and quoted texts are of one kind.
    var isQuoted = false
    let kind = String(
      String.UnicodeScalarView(
        sentence.unicodeScalars.filter { scalar in
          if scalar == "\"" { isQuoted.toggle() }
          return !isQuoted && !("0"..."9").contains(scalar)
        }))
    guard kinds[kind] != nil || kinds.count < Self.kindLimit else { return }
    kinds[kind, default: Kind(fault: sentence, fix: item.fix, item: item.name)].count += 1
  }

  /// Whether the command fails.
  var isFailure: Bool { outcomes[.invalid] != nil || outcomes[.contradiction] != nil }

  /// The number of items.
  var itemCount: Int { outcomes.values.reduce(0, +) }

  var frequentKinds: [Kind] { Array(kinds.values.sorted { ($1.count, $0.fault) < ($0.count, $1.fault) }) }

  func frequent(_ distribution: Distribution) -> [(value: String, count: Int)] {
    (distributions[distribution] ?? [:]).sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
  }

  /// A sentence about forgotten copies.
  var fullness: String? {
    copies.removedCount == 0
      ? nil : "The table of first copies was full. Copies of the oldest \(copies.removedCount) items are not recognized."
  }

  /// The last lines for people. The very last line has the outcomes.
  var text: String {
    var lines: [String] = []
    for distribution in Distribution.allCases {
      let values = frequent(distribution)
      guard !values.isEmpty else { continue }
      let rest = values.count > Self.shownCount ? ", and \(values.count - Self.shownCount) more" : ""
      let shown = values.prefix(Self.shownCount).map { "\($0.value): \($0.count)" }.joined(separator: ", ") + rest
      lines += VerdictText.field(distribution.rawValue, shown)
    }
    for kind in frequentKinds.prefix(Self.shownCount) {
      lines += VerdictText.field("\(kind.count)×", "\(kind.fault) First: \(kind.item).")
      if let fix = kind.fix { lines += VerdictText.field("", fix) }
    }
    if let fullness { lines += VerdictText.field("note", fullness) }
    let parts = JudgedItem.Outcome.allCases.compactMap { outcome in outcomes[outcome].map { "\($0) \(outcome.rawValue)" } }
    return (lines + ["\(counted(itemCount, "item")): \(parts.joined(separator: ", "))"]).joined(separator: "\n") + "\n"
  }

  var json: JSON {
    let distributions = Distribution.allCases.map { distribution in
      JSON.Member(
        distribution.rawValue, .object(frequent(distribution).map { .init($0.value, .number(Int64($0.count))) }))
    }
    let verdicts = JudgedItem.Outcome.allCases.compactMap { outcome in
      outcomes[outcome].map { JSON.Member(outcome.rawValue, .number(Int64($0))) }
    }
    let faults = frequentKinds.map { kind -> JSON in
      ["count": .number(Int64(kind.count)), "fault": .string(kind.fault), "fix": .string(kind.fix), "item": .string(kind.item)]
    }
    return .object(
      [.init("items", .number(Int64(itemCount))), .init("verdicts", .object(verdicts))] + distributions
        + [.init("faults", .array(faults)), .init("note", .string(fullness))])
  }
}
