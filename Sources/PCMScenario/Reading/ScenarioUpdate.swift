package import PCMCore

/// Replaces some values of a scenario file and preserves everything else, including comments.
package struct ScenarioUpdate {
  package struct Change: Hashable, Sendable {
    /// A JSON pointer to an existing value.
    package let pointer: String
    package let value: JSON

    package init(_ pointer: String, _ value: JSON) {
      self.pointer = pointer
      self.value = value
    }
  }

  private let source: SourceText
  private let root: SourceNode

  /// Throws the errors of an unreadable file.
  package init(_ file: [UInt8]) throws(ScenarioErrors) {
    source = try SourceText(file)
    root = try SourceNode.read(source)
  }

  /// The current contents of the file.
  package var value: JSON { root.json }

  /// Returns the new file. It is parsed again to check that only the specified values differ.
  package func applying(_ changes: [Change]) throws(ScenarioErrors) -> [UInt8] {
    var edits: [SourceEdit] = []
    var expected = root.json
    for change in changes {
      guard let target = SourceTarget(change.pointer, in: root) else {
        throw ScenarioErrors("expected a value at \(change.pointer.quoted)", at: root.place, pointer: change.pointer)
      }
      edits += try SourceExtents(source).edits(for: target, change)
      expected = expected.replacing(target.path[...], with: change.value)
    }
    edits.sort { $0.range.lowerBound < $1.range.lowerBound }
    for (edit, next) in zip(edits, edits.dropFirst()) where edit.range.upperBound > next.range.lowerBound {
      throw ScenarioErrors("expected changes that do not overlap", at: root.place)
    }
    var bytes = source.bytes
    for edit in edits.reversed() { bytes.replaceSubrange(edit.range, with: edit.text.utf8) }
    let file = (source.hasMark ? [0xEF, 0xBB, 0xBF] : []) + bytes
    guard let written = try? SourceNode.read(SourceText(file)), written.json.text == expected.text else {
      throw ScenarioErrors(
        "expected values in a replaceable form; write each value on one line", at: root.place)
    }
    return file
  }
}

/// A range of bytes and its replacement.
struct SourceEdit {
  let range: Range<Int>
  let text: String
}

/// The value at a JSON pointer.
struct SourceTarget {
  let node: SourceNode
  /// The member, when the value belongs to an object.
  let member: SourceMember?
  let path: [String]

  init?(_ pointer: String, in root: SourceNode) {
    guard let path = JSONPointer.names(of: pointer) else { return nil }
    var (node, member) = (root, SourceMember?.none)
    for step in path {
      switch node.value {
      case .object(let members):
        guard let found = members.first(where: { $0.name == step }) else { return nil }
        (node, member) = (found.node, found)
      case .list(let items):
        guard let index = Int(step), items.indices.contains(index) else { return nil }
        (node, member) = (items[index], nil)
      default: return nil
      }
    }
    self.node = node
    self.member = member
    self.path = path
  }
}

extension JSON {
  fileprivate func replacing(_ path: ArraySlice<String>, with value: JSON) -> JSON {
    guard let step = path.first else { return value }
    switch self {
    case .object(let members):
      return .object(
        members.map { $0.name == step ? Member($0.name, $0.value.replacing(path.dropFirst(), with: value)) : $0 })
    case .array(let items):
      return .array(
        items.enumerated().map { String($0.offset) == step ? $0.element.replacing(path.dropFirst(), with: value) : $0.element })
    default: return self
    }
  }
}
