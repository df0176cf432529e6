import PCMCore

/// An error in a record.
struct EventError: Error, Hashable {
  /// Nil for the record as a whole.
  let column: String?
  let detail: String

  /// The error for people: `time: "noon" is no time`.
  var text: String { column.map { "\($0): \(detail)" } ?? detail }
}

/// The cells of a record, in the order of the columns. One value reads many records, and keeps its memory.
struct EventCells {
  /// The record, or its cells without quotation marks one after another.
  private var bytes: ArraySlice<UInt8> = []
  private var ranges: [Range<Int>] = []
  private var scratch: [UInt8] = []
  /// Whether a separator is between each cell and the next one: a comma, or the separator of keys.
  private var isSeparated = false

  /// Separates the cells of a key. No valid URL or number contains it.
  static let separator: UInt8 = 0x1F

  var count: Int { ranges.count }
  var indices: Range<Int> { ranges.indices }

  subscript(index: Int) -> ArraySlice<UInt8> { bytes[ranges[index]] }

  /// Appends cells with separators to a key. Cells beyond the last one are ignored.
  func append(_ cells: Range<Int>, to key: inout [UInt8]) {
    let cells = cells.clamped(to: indices)
    guard let first = cells.first, let last = cells.last else { return }
    if isSeparated {
      key.append(contentsOf: bytes[ranges[first].lowerBound..<ranges[last].upperBound])
    } else {
      for cell in cells {
        key.append(contentsOf: self[cell])
        key.append(Self.separator)
      }
    }
  }

  /// Returns the text of a cell; nil if it is empty or absent.
  func text(_ index: Int) -> String? {
    guard index < ranges.count, !ranges[index].isEmpty else { return nil }
    return String(decoding: self[index], as: UTF8.self)
  }

  /// Replaces the cells by cells that a profile makes.
  mutating func replace(with bytes: ArraySlice<UInt8>, _ ranges: [Range<Int>]) {
    (self.bytes, self.ranges, isSeparated) = (bytes, ranges, false)
  }

  /// Reads a record. Returns the error; nil without one.
  mutating func read(_ record: ArraySlice<UInt8>, _ format: EventFormat, _ columns: EventColumns) -> EventError? {
    switch format {
    case .csv:
      guard readRow(record) else {
        return EventError(column: nil, detail: "a quotation mark is within a cell; quote the whole cell, and double the mark")
      }
      guard count <= columns.names.count else {
        return EventError(column: nil, detail: "the row has \(count) cells, and there are \(columns.names.count) columns")
      }
      return nil
    case .jsonl: return readObject(record, columns)
    }
  }

  /// Reads a row of CSV (RFC 4180). Returns false for a quotation mark within a cell.
  mutating func readRow(_ record: ArraySlice<UInt8>) -> Bool {
    ranges.removeAll(keepingCapacity: true)
    isSeparated = true
    guard readPlain(record) else { return readQuoted(record) }
    bytes = record
    return true
  }

  /// Reads a row without quotation marks. Returns false for another row.
  private mutating func readPlain(_ record: ArraySlice<UInt8>) -> Bool {
    record.withUnsafeBufferPointer { cells in
      var start = 0
      for index in 0..<cells.count {
        if cells[index] == UInt8(ascii: ",") {
          ranges.append(record.startIndex + start..<record.startIndex + index)
          start = index + 1
        } else if cells[index] == UInt8(ascii: "\"") {
          return false
        }
      }
      ranges.append(record.startIndex + start..<record.endIndex)
      return true
    }
  }

  private mutating func readQuoted(_ record: ArraySlice<UInt8>) -> Bool {
    bytes = []
    ranges.removeAll(keepingCapacity: true)
    scratch.removeAll(keepingCapacity: true)
    var (start, isQuoted, wasQuoted) = (0, false, false)
    for byte in record {
      switch byte {
      case UInt8(ascii: "\""):
        // The second of two quotation marks stands for one.
        if !isQuoted, wasQuoted { scratch.append(byte) } else if !isQuoted, scratch.count > start { return false }
        (isQuoted, wasQuoted) = (!isQuoted, isQuoted)
      case UInt8(ascii: ",") where !isQuoted:
        ranges.append(start..<scratch.count)
        scratch.append(Self.separator)
        (start, wasQuoted) = (scratch.count, false)
      default:
        guard isQuoted || !wasQuoted else { return false }
        scratch.append(byte)
      }
    }
    ranges.append(start..<scratch.count)
    bytes = scratch[...]
    return !isQuoted
  }

  private mutating func readObject(_ record: ArraySlice<UInt8>, _ columns: EventColumns) -> EventError? {
    guard case .object(let members)? = JSON(parsing: Array(record), keepingNumbers: true) else {
      return EventError(column: nil, detail: "the line is no JSON object with distinct members; have each event on one line")
    }
    (bytes, ranges) = ([], [Range<Int>](repeating: 0..<0, count: columns.names.count))
    isSeparated = false
    scratch.removeAll(keepingCapacity: true)
    for member in members {
      if case .object = member.value, columns.nested.contains(where: { $0.path[0] == member.name }) { continue }
      guard let index = columns.names.firstIndex(of: member.name) else {
        if columns.profile?.ignoresOthers == true { continue }
        return .unknown(member.name)
      }
      if let error = add(member.value, index, columns) { return error }
    }
    for (index, path) in columns.nested where !members.contains(where: { $0.name == columns.names[index] }) {
      let value = path.dropFirst().reduce(members.first { $0.name == path[0] }?.value) { $0?[$1] }
      if let value, let error = add(value, index, columns) { return error }
    }
    bytes = scratch[...]
    return nil
  }

  /// Adds the cell of a member. Returns the error; nil without one.
  private mutating func add(_ value: JSON, _ index: Int, _ columns: EventColumns) -> EventError? {
    let start = scratch.count
    switch value {
    case .null: break
    case .string(let text): scratch += Array(text.utf8)
    case .bool, .number, .verbatim: value.write(into: &scratch)
    case .array, .object: return EventError(column: columns.names[index], detail: "the value is an array or an object")
    }
    ranges[index] = start..<scratch.count
    return nil
  }
}

/// A record with a user and a time. Any other record belongs to the user of the record before it.
struct EventRow {
  private(set) var cells = EventCells()
  private var time = EventTime()

  /// Reads a record, and returns its time.
  mutating func read(
    _ record: ArraySlice<UInt8>, _ format: EventFormat, _ columns: EventColumns
  ) throws(EventError) -> Instant {
    if let error = cells.read(record, format, columns) { throw error }
    guard cells.count > columns.user, !cells[columns.user].isEmpty else {
      throw EventError(column: columns.names[columns.user], detail: "the cell is empty; each event has a user")
    }
    guard cells.count > columns.time, let at = time.read(cells[columns.time]) else {
      throw EventError(
        column: columns.names[columns.time],
        detail:
          "\"\(cells.text(columns.time) ?? "")\" is no time; use ISO 8601, or seconds, milliseconds, or microseconds since 1970"
      )
    }
    return at
  }
}

extension EventError {
  /// A column that no event has.
  static func unknown(_ column: String) -> EventError {
    let hint = NearestName.hint(for: column, among: EventColumns.all.names)
    return EventError(
      column: column, detail: "unknown column" + (hint.isEmpty ? "; name your own columns in the columns of a --profile" : hint)
    )
  }
}
