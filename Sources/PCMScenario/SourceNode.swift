package import PCMCore

/// A value of a scenario file with its place, so that errors can refer to the file.
package struct SourceNode: Hashable, Sendable {
  package let place: SourcePlace
  package let value: Value

  package indirect enum Value: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Int64)
    /// A number with a fraction or an exponent, as written: a time in a feed of cards.
    case decimal(String)
    case text(String)
    case list([SourceNode])
    case object([SourceMember])
  }

  package init(_ value: Value, at place: SourcePlace) {
    self.value = value
    self.place = place
  }

  package subscript(name: String) -> SourceNode? {
    guard case .object(let members) = value else { return nil }
    return members.first { $0.name == name }?.node
  }

  /// Returns the member of an object with a name, or the item of a list with an index, as a part of a JSON pointer names it.
  func value(at part: String) -> SourceNode? {
    guard case .list(let items) = value else { return self[part] }
    return Int(part).flatMap { items.indices.contains($0) ? items[$0] : nil }
  }

  /// The value without its place.
  package var json: JSON {
    switch value {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .number(let number): .number(number)
    case .decimal(let text): .verbatim(text)
    case .text(let text): .string(text)
    case .list(let items): .array(items.map(\.json))
    case .object(let members): .object(members.map { JSON.Member($0.name, $0.node.json) })
    }
  }
}

package struct SourceMember: Hashable, Sendable {
  package let name: String
  package let namePlace: SourcePlace
  package let node: SourceNode

  package init(_ name: String, at namePlace: SourcePlace, _ node: SourceNode) {
    self.name = name
    self.namePlace = namePlace
    self.node = node
  }
}

/// A line and a column, both starting with 1. The column counts characters.
package struct SourcePlace: Hashable, Sendable {
  package let line: Int
  package let column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}
