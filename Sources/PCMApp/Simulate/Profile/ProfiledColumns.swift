import PCMCore
import PCMScenario

/// The columns of a file as a profile reads them: resolved once, and shared by all lines.
final class ProfiledColumns: Sendable {
  /// Where a cell of the simulation comes from.
  enum Slot: Sendable {
    /// A step without this column.
    case absent
    case cell(Int)
    case constant([UInt8])
    case encoded(CellEncoding, from: Int)
  }

  /// A word for a kind of event.
  struct Kind: Sendable {
    /// The kind of the step; nil for lines that are ignored.
    let step: EventStep?
    let name: [UInt8]
    /// The cells after the kind.
    let slots: [Slot]
    /// The encodings that the step reads, as indices.
    let encodings: [Int]
  }

  /// The columns of the simulation, which begin with the kind.
  let columns: EventColumns
  /// Whether the file may have further columns.
  let ignoresOthers: Bool
  /// The encodings whose values are counted, with the columns of the values.
  let encodings: [(encoding: CellEncoding, from: Int)]
  private let kinds: CellTable<Kind>
  private let kind: Slot
  /// The names of the columns in the file, where they differ.
  private let names: [String: String]

  init(
    slots: [(column: String, slot: Slot)], kind: Slot, kinds: [(word: String, step: EventStep?)], names: [String: String],
    ignoresOthers: Bool
  ) {
    let columns = slots.map(\.column)
    self.columns = EventColumns(["kind"] + columns, user: -1, time: -1, kind: 0)
    let encodings = slots.compactMap { slot -> (encoding: CellEncoding, from: Int)? in
      if case .encoded(let encoding, let index) = slot.slot, encoding.countsValues { (encoding, index) } else { nil }
    }
    self.encodings = encodings
    self.kinds = CellTable(
      kinds.map { word, step in
        let used = step.map { step in slots.map { step.reads($0.column) ? $0.slot : .absent } }
        let read = encodings.indices.filter { step?.reads(encodings[$0].encoding.column) == true }
        return (word, Kind(step: step, name: Array((step?.rawValue ?? "").utf8), slots: used ?? [], encodings: read))
      })
    (self.kind, self.names, self.ignoresOthers) = (kind, names, ignoresOthers)
  }

  /// Returns the kind of a record.
  func kind(of cells: EventCells) throws(EventError) -> Kind {
    let word: ArraySlice<UInt8> =
      switch kind {
      case .cell(let index): index < cells.count ? cells[index] : []
      case .constant(let word): word[...]
      case .absent, .encoded: []
      }
    if let kind = kinds[word] { return kind }
    let text = String(decoding: word, as: UTF8.self)
    throw named(
      EventError(
        column: "kind",
        detail: "\(text.quoted) is no kind of event"
          + (NearestName.nearest(to: text, among: kinds.texts).map { "; did you mean \"\($0)\"?" }
            ?? "; add it to kinds in the profile, such as \(text.quoted): ignore")))
  }

  /// Returns an error with the name of its column in the file.
  func named(_ error: EventError) -> EventError {
    guard let name = error.column.flatMap({ names[$0] }) else { return error }
    return EventError(column: name, detail: error.detail)
  }
}

/// The cells of a record as a profile reads them. One value reads many records, and keeps its memory.
struct ProfiledCells {
  private(set) var cells = EventCells()
  private var bytes: [UInt8] = []
  private var ranges: [Range<Int>] = []
  /// The encodings of the record, as indices.
  private(set) var encodings: [Int] = []

  /// Reads a record. Returns false if the profile ignores it.
  mutating func read(_ record: EventCells, _ profile: ProfiledColumns) throws(EventError) -> Bool {
    let kind = try profile.kind(of: record)
    guard kind.step != nil else { return false }
    encodings = kind.encodings
    // Shared arrays would be copied.
    cells.replace(with: [], [])
    bytes.removeAll(keepingCapacity: true)
    ranges.removeAll(keepingCapacity: true)
    append(kind.name)
    for slot in kind.slots {
      switch slot {
      case .absent: append([])
      case .cell(let index): append(index < record.count ? record[index] : [])
      case .constant(let value): append(value)
      case .encoded(let encoding, let index): append(try encoding.number(of: index < record.count ? record[index] : []))
      }
    }
    cells.replace(with: bytes[...], ranges)
    return true
  }

  private mutating func append(_ cell: some Collection<UInt8>) {
    let start = bytes.count
    bytes.append(contentsOf: cell)
    ranges.append(start..<bytes.count)
  }
}

extension EventStep {
  /// Whether the step has a member with the name or the meaning of a column.
  fileprivate func reads(_ column: String) -> Bool {
    members.contains { $0.name == column } || EventColumns.short.contains { $0.column == column && $0.members[self] != nil }
  }
}
