import CLibPQ
import PCMStore

/// The result of a statement, in memory.
final class PostgresRows {
  fileprivate let result: OpaquePointer

  /// Takes the ownership of the result.
  init(_ result: OpaquePointer) {
    self.result = result
  }

  deinit { PQclear(result) }

  var status: ExecStatusType { PQresultStatus(result) }

  /// The number of rows that the statement changed or returned.
  var affectedCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

  /// Returns a field of the error by its code in the protocol.
  func errorField(_ code: UnicodeScalar) -> String? {
    PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
  }

  /// Decodes the rows.
  ///
  /// - Parameter table: The name of the table in errors about damaged values.
  func map<Value>(of table: String, _ decode: (inout RowReader) throws -> Value) rethrows -> [Value] {
    try (0..<PQntuples(result)).map { index in
      var reader = RowReader(PostgresRow(rows: self, index: index), of: table)
      return try decode(&reader)
    }
  }
}

/// A row in PostgreSQL's binary format.
private struct PostgresRow: ColumnSource {
  let rows: PostgresRows
  let index: Int32

  /// The numbers of the types in `pg_type`.
  private static let (bigint, text): (Oid, Oid) = (20, 25)

  func value(of column: Int) -> StoredValue? {
    guard PQgetisnull(rows.result, index, Int32(column)) == 0 else { return .null }
    switch PQftype(rows.result, Int32(column)) {
    case Self.bigint: return .integer(bytes(of: column).reduce(0) { $0 << 8 | Int64($1) })
    case Self.text: return String(validating: bytes(of: column), as: UTF8.self).map { .text($0) }
    default: return nil
    }
  }

  func name(of column: Int) -> String { PQfname(rows.result, Int32(column)).map { String(cString: $0) } ?? "" }

  func text(of column: Int) -> String {
    switch value(of: column) {
    case .integer(let number): String(number)
    case .text(let text): text
    case .null, nil: ""
    }
  }

  private func bytes(of column: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: PQgetvalue(rows.result, index, Int32(column)), count: Int(PQgetlength(rows.result, index, Int32(column))))
  }
}
