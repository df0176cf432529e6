import PCMCore
import PCMScenario

/// Values as in a file, each at a separate place: line 1, and a column that counts them.
enum Node {
  static func of(_ json: JSON) -> SourceNode {
    var column = 0
    return node(json, &column)
  }

  private static func node(_ json: JSON, _ column: inout Int) -> SourceNode {
    column += 1
    let place = SourcePlace(line: 1, column: column)
    switch json {
    case .null, .verbatim: return SourceNode(.null, at: place)
    case .bool(let flag): return SourceNode(.bool(flag), at: place)
    case .number(let number): return SourceNode(.number(number), at: place)
    case .string(let text): return SourceNode(.text(text), at: place)
    case .array(let items):
      var nodes: [SourceNode] = []
      for item in items { nodes.append(node(item, &column)) }
      return SourceNode(.list(nodes), at: place)
    case .object(let members):
      var nodes: [SourceMember] = []
      for member in members { nodes.append(SourceMember(member.name, at: place, node(member.value, &column))) }
      return SourceNode(.object(nodes), at: place)
    }
  }
}
