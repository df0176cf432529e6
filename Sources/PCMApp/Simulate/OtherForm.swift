/// A form of a file that is neither CSV nor JSON lines in UTF-8, known by its first bytes.
enum OtherForm {
  case utf16
  case workbook
  case parquet
  case json
  case array

  /// Returns nil for the form that a format has.
  init?(_ bytes: [UInt8], _ format: EventFormat) {
    func begins(_ start: [UInt8]) -> Bool { bytes.starts(with: start) }
    switch bytes.first {
    case 0xFF where begins([0xFF, 0xFE]), 0xFE where begins([0xFE, 0xFF]): self = .utf16
    case UInt8(ascii: "P") where begins(Array("PK\u{3}\u{4}".utf8)): self = .workbook
    case UInt8(ascii: "P") where begins(Array("PAR1".utf8)): self = .parquet
    case UInt8(ascii: "{") where format == .csv: self = .json
    case UInt8(ascii: "["): self = .array
    default: return nil
    }
  }

  /// The error for people, with the remedy.
  var advice: String {
    switch self {
    case .utf16: "the file is in UTF-16; convert it with iconv -f UTF-16 -t UTF-8"
    case .workbook: "the file is a workbook or a ZIP archive; export the sheet as CSV in UTF-8, or unpack the archive"
    case .parquet:
      "the file is in Parquet; convert it, such as with DuckDB: COPY (FROM 'events.parquet' ORDER BY user, time) TO 'events.csv' "
        + "(HEADER)"
    case .json: "the file has JSON; add --format jsonl, and have an object on each line"
    case .array: "the file has a JSON array; write each object on its line with jq -c '.[]', and name the file .jsonl"
    }
  }
}
