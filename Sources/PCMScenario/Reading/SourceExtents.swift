import PCMCore

/// Finds where values end in the file. The YAML parser returns only where they begin.
struct SourceExtents {
  private let source: SourceText
  private let bytes: [UInt8]
  private let isJSON: Bool

  init(_ source: SourceText) {
    self.source = source
    bytes = source.bytes
    isJSON = bytes.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
  }

  /// Returns the edits that replace a value. A block is removed with its lines, and the new value follows the name.
  func edits(for target: SourceTarget, _ change: ScenarioUpdate.Change) throws(ScenarioErrors) -> [SourceEdit] {
    let text = SourceWriting(isJSON: isJSON).text(change.value)
    let start = source.offset(of: target.node.place)
    let end = endOfValue(target.node)
    guard let member = target.member, let colon = self.colon(behind: endOfValue(nameNode(member))) else {
      return [SourceEdit(range: start..<end, text: text)]
    }
    let isEmpty = start == end
    guard isEmpty || isBlock(target.node, at: start) else { return [SourceEdit(range: start..<end, text: text)] }
    let insertion = SourceEdit(range: colon + 1..<colon + 1, text: " " + text)
    guard !isEmpty else { return [insertion] }
    // Starts at the end of the previous line, so that comments after the name remain.
    let lineEnd = bytes[..<start].lastIndex(of: UInt8(ascii: "\n")).map { lineBreak(at: $0) } ?? start
    guard lineEnd > colon else { return [SourceEdit(range: start..<end, text: text)] }
    return [insertion, SourceEdit(range: lineEnd..<end, text: "")]
  }

  private func lineBreak(at offset: Int) -> Int {
    offset > 0 && bytes[offset - 1] == UInt8(ascii: "\r") ? offset - 1 : offset
  }

  private func nameNode(_ member: SourceMember) -> SourceNode { SourceNode(.text(member.name), at: member.namePlace) }

  private func isBlock(_ node: SourceNode, at start: Int) -> Bool {
    guard bytes.indices.contains(start) else { return false }
    switch node.value {
    case .list: return bytes[start] != UInt8(ascii: "[")
    case .object: return bytes[start] != UInt8(ascii: "{")
    default: return false
    }
  }

  /// The offset after the last character of a value.
  private func endOfValue(_ node: SourceNode) -> Int {
    let start = source.offset(of: node.place)
    guard bytes.indices.contains(start) else { return start }
    switch (node.value, bytes[start]) {
    case (.list(let items), UInt8(ascii: "[")): return closer("]", behind: items.last.map(endOfValue) ?? start + 1)
    case (.object(let members), UInt8(ascii: "{")): return closer("}", behind: members.last.map(endOfMember) ?? start + 1)
    case (.list(let items), _): return items.last.map(endOfValue) ?? start
    case (.object(let members), _): return members.last.map(endOfMember) ?? start
    case (.text, UInt8(ascii: "\"")): return quoteEnd(start)
    case (.text, UInt8(ascii: "'")): return quoteEnd(start)
    case (.text(let text), UInt8(ascii: "|")), (.text(let text), UInt8(ascii: ">")): return literalEnd(start, text)
    case (.text(let text), _): return plainEnd(start, text)
    case (.null, _):
      return ["null", "~"].first { bytes[start...].starts(with: $0.utf8) }.map { start + $0.utf8.count } ?? start
    case (.bool(let flag), _): return start + (flag ? 4 : 5)
    case (.number, _): return bytes[start...].firstIndex { !"-0123456789".utf8.contains($0) } ?? bytes.count
    }
  }

  /// For a member without a value, only the name counts.
  private func endOfMember(_ member: SourceMember) -> Int { max(endOfValue(member.node), endOfValue(nameNode(member))) }

  private func closer(_ closer: Unicode.Scalar, behind offset: Int) -> Int {
    var offset = offset
    while bytes.indices.contains(offset), UInt32(bytes[offset]) != closer.value {
      let isComment = bytes[offset] == UInt8(ascii: "#")
      offset = isComment ? bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count : offset + 1
    }
    return min(offset + 1, bytes.count)
  }

  private func colon(behind offset: Int) -> Int? {
    guard let colon = bytes[offset...].firstIndex(where: { $0 != UInt8(ascii: " ") }), bytes[colon] == UInt8(ascii: ":") else {
      return nil
    }
    return colon
  }

  private func quoteEnd(_ start: Int) -> Int {
    let quote = bytes[start]
    var offset = start + 1
    while bytes.indices.contains(offset) {
      if quote == UInt8(ascii: "\""), bytes[offset] == UInt8(ascii: "\\") {
        offset += 2
      } else if bytes[offset] != quote {
        offset += 1
      } else if quote == UInt8(ascii: "'"), bytes.indices.contains(offset + 1), bytes[offset + 1] == quote {
        offset += 2
      } else {
        return offset + 1
      }
    }
    return bytes.count
  }

  /// Matches the characters of the string, where a space can be a line break with indentation.
  private func plainEnd(_ start: Int, _ text: String) -> Int {
    var offset = start
    var rest = Array(text.utf8)[...]
    while let byte = rest.first, bytes.indices.contains(offset) {
      let isSpace = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n")
      let next = isSpace ? bytes[offset...].firstIndex { !" \t\r\n".utf8.contains($0) } ?? bytes.count : offset
      if isSpace, bytes[offset..<next].contains(UInt8(ascii: "\n")) {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        offset = next
      } else {
        rest = rest.dropFirst()
        offset += 1
      }
    }
    return offset
  }

  /// Ends at the first line that is indented less than the first one with text.
  private func literalEnd(_ start: Int, _ text: String) -> Int {
    var end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map { lineBreak(at: $0) } ?? bytes.count
    guard !text.allSatisfy(\.isNewline) else { return end }
    var line = source.clamped(SourcePlace(line: lineNumber(of: start) + 1, column: 1)).line
    var indentation: Int?
    while line <= source.lineCount {
      let content = source.line(line)
      if let first = content.firstIndex(where: { $0 != UInt8(ascii: " ") }) {
        let column = first - content.startIndex
        guard column >= indentation ?? column else { break }
        indentation = indentation ?? column
        end = content.endIndex
      }
      line += 1
    }
    return end
  }

  private func lineNumber(of offset: Int) -> Int { source.place(of: offset).line }
}
