package import PCMCore

/// A value as a store keeps it in a column.
package enum StoredValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
}

/// A value of a column.
package protocol ColumnValue {
  var stored: StoredValue { get }
}

extension StoredValue: ColumnValue {
  package var stored: StoredValue { self }
}

extension ColumnValue where Self: FixedWidthInteger {
  package var stored: StoredValue { .integer(Int64(self)) }
}

extension Int64: ColumnValue {}
extension Int: ColumnValue {}
extension UInt8: ColumnValue {}

extension Bool: ColumnValue {
  package var stored: StoredValue { .integer(self ? 1 : 0) }
}

extension String: ColumnValue {
  package var stored: StoredValue { .text(self) }
}

extension Instant: ColumnValue {
  package var stored: StoredValue { .integer(milliseconds) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  package var stored: StoredValue { self?.stored ?? .null }
}
