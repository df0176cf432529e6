extension UInt8 {
  /// Whether the byte is white space between the tokens of JSON (RFC 8259, section 2).
  var isJSONWhiteSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension BidirectionalCollection {
  /// The elements up to and including the last one that does not match.
  func droppingLast(while matches: (Element) -> Bool) -> SubSequence {
    self[..<(lastIndex { !matches($0) }.map { index(after: $0) } ?? startIndex)]
  }
}
