import PCMCore

/// The format of a file of events.
enum EventFormat: String, CaseIterable, Sendable {
  case csv
  case jsonl

  /// The format that a name means: `.jsonl` and `.ndjson` are JSON lines, also with `.gz`.
  init(ofFile name: String) {
    let plain = name.hasSuffix(".gz") ? name.dropLast(3) : name[...]
    self = plain.hasSuffix(".jsonl") || plain.hasSuffix(".ndjson") ? .jsonl : .csv
  }
}

/// A record of a file of events: a row of CSV, or a JSON object.
struct EventRecord: Sendable {
  /// The bytes of the record without its line ending.
  let range: Range<Int>
  let line: Int64
}

/// The records of some users, each of them complete.
struct EventBlock: Sendable {
  let bytes: [UInt8]
  let records: [EventRecord]
  let columns: EventColumns
}

/// The blocks of a file of any size. It needs the memory of a block: 1 MiB, or the events of one user.
struct EventBlockReader {
  private let stream: ByteStream
  private let file: String
  private let format: EventFormat
  private var columns: EventColumns?
  private var bytes: [UInt8] = []
  /// The complete records of the bytes.
  private var records: [EventRecord] = []
  private var scan: RecordScan
  private var isAtEnd = false
  private let blockSize: Int
  /// The profile that names the columns; nil without one.
  var profile: SimulationProfile?

  /// - Parameters:
  ///   - file: The name in errors.
  ///   - blockSize: The number of bytes of a block, unless one user has more.
  init(_ stream: ByteStream, file: String, format: EventFormat, blockSize: Int) {
    (self.stream, self.file, self.format, self.blockSize) = (stream, file, format, blockSize)
    scan = RecordScan(format)
  }

  /// Returns the next users; nil at the end.
  mutating func next() throws -> EventBlock? {
    var size = blockSize
    while true {
      try fill(to: size)
      size *= 2
      guard !records.isEmpty else {
        if isAtEnd { return nil }
        continue
      }
      let columns = try columns ?? readHeader()
      if let count = isAtEnd ? records.count : completeUsers(columns) { return take(count, columns) }
    }
  }

  private mutating func fill(to size: Int) throws {
    while !isAtEnd, bytes.count < size {
      let part = try stream.next()
      isAtEnd = part.isEmpty
      bytes += part
      guard columns == nil, let other = OtherForm(bytes, format) else { continue }
      throw StartError(description: "\(file): \(other.advice)")
    }
    if let line = scan.read(bytes, isAtEnd: isAtEnd, into: &records) {
      throw StartError(
        description: "\(file):\(line): the record has more than \(RecordScan.limit) bytes; a quotation mark may be missing")
    }
  }

  /// Reads the names of the columns, which JSON lines have in each record.
  private mutating func readHeader() throws -> EventColumns {
    let found: EventColumns
    if format == .jsonl {
      found = try profile?.columns(of: file) ?? .all
    } else {
      let first = records[0]
      var cells = EventCells()
      let isRow = cells.readRow(bytes[first.range])
      let names = isRow ? cells.indices.map { String(decoding: cells[$0], as: UTF8.self) } : []
      if let separator = OtherSeparator(bytes[first.range], cellCount: cells.count) {
        throw StartError(description: "\(file):\(first.line): \(separator.advice)")
      }
      let hasHeader = profile?.needsHeader == true || names.contains("user") && names.contains("time")
      if let profile {
        let header = hasHeader ? names : EventColumns.standard.names
        found = try profile.columns(of: file, line: first.line, header: header)
      } else if hasHeader {
        do throws(EventError) {
          found = try EventColumns(names)
        } catch {
          throw StartError(description: "\(file):\(first.line): \(error.text)")
        }
      } else if isRow, !EventColumns.standard.canRead(names) {
        throw StartError(
          description:
            "\(file):\(first.line): the first row is neither an event nor a header with the columns user, time, and kind; "
            + "separate cells with commas, and name the columns as in pcm-browser simulate --help, or with --profile")
      } else {
        found = .standard
      }
      if hasHeader { records.removeFirst() }
    }
    columns = found
    return found
  }

  /// Returns the number of records before the last user; nil when there is only one user.
  private func completeUsers(_ columns: EventColumns) -> Int? {
    var (row, last): (EventRow, [UInt8]?) = (EventRow(), nil)
    for index in records.indices.reversed() {
      guard (try? row.read(bytes[records[index].range], format, columns)) != nil else { continue }
      let user = row.cells[columns.user]
      if let last, !user.elementsEqual(last) { return index + 1 }
      last = last ?? Array(user)
    }
    return last == nil ? records.count : nil
  }

  private mutating func take(_ count: Int, _ columns: EventColumns) -> EventBlock {
    let taken = Array(records[..<count])
    let end = count < records.count ? records[count].range.lowerBound : min(scan.start, bytes.count)
    let block = EventBlock(bytes: bytes, records: taken, columns: columns)
    bytes = Array(bytes[end...])
    records = records[count...].map { EventRecord(range: $0.range.lowerBound - end..<$0.range.upperBound - end, line: $0.line) }
    scan.drop(end)
    return block
  }
}

/// The search for the ends of records. A line break between quotation marks belongs to its record.
private struct RecordScan {
  private var position = 0
  /// The beginning of the record that is not complete.
  private(set) var start = 0
  private var line: Int64 = 1
  private var startLine: Int64 = 1
  private var isQuoted = false
  /// The last quotation mark that ended a cell.
  private var closedAt = -2
  /// A JSON text contains no line break.
  private let quotes: Bool

  /// The maximum number of bytes of a record.
  static let limit = 65_536

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  init(_ format: EventFormat) { quotes = format == .csv }

  /// Adds the records that are complete and not blank. Returns the line of a record that is too long; nil without one.
  mutating func read(_ bytes: [UInt8], isAtEnd: Bool, into records: inout [EventRecord]) -> Int64? {
    if position == 0, startLine == 1, bytes.starts(with: Self.byteOrderMark) { (position, start) = (3, 3) }
    while let mark = mark(in: bytes) {
      position = mark
      if bytes[position] == UInt8(ascii: "\"") {
        quote(in: bytes)
      } else {
        line += 1
        if !isQuoted, let line = end(in: bytes, into: &records) { return line }
      }
      position += 1
    }
    position = bytes.count
    if isAtEnd, start < bytes.count { return end(in: bytes, into: &records) }
    return position - start > Self.limit ? startLine : nil
  }

  /// Returns the place of the next line break, or of a quotation mark with a meaning.
  private func mark(in bytes: [UInt8]) -> Int? {
    let other = quotes ? UInt8(ascii: "\"") : UInt8(ascii: "\n")
    return bytes.withUnsafeBufferPointer { bytes in
      var place = position
      while place < bytes.count {
        if bytes[place] == UInt8(ascii: "\n") || bytes[place] == other { return place }
        place += 1
      }
      return nil
    }
  }

  /// A quotation mark begins a quoted cell, or ends it. The second of two continues the cell. Within a cell, it has no meaning.
  private mutating func quote(in bytes: [UInt8]) {
    if isQuoted {
      (isQuoted, closedAt) = (false, position)
    } else {
      isQuoted = position == start || position == closedAt + 1 || bytes[position - 1] == UInt8(ascii: ",")
    }
  }

  private mutating func end(in bytes: [UInt8], into records: inout [EventRecord]) -> Int64? {
    var range = start..<position
    if let last = range.last, bytes[last] == UInt8(ascii: "\r") { range = start..<last }
    if range.count > Self.limit { return startLine }
    if !range.isEmpty { records.append(EventRecord(range: range, line: startLine)) }
    (start, startLine) = (position + 1, line)
    return nil
  }

  /// Adjusts the positions after the first bytes are gone.
  mutating func drop(_ count: Int) {
    (position, closedAt, start) = (position - count, closedAt - count, max(0, start - count))
  }
}
