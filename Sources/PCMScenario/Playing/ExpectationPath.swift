import PCMCore

/// Where in a file an expectation stands, from `/steps/2/expect` on.
struct ExpectationPath: Hashable, Sendable {
  private var base = ""
  private var parts: [String] = []

  init() {}

  /// - Parameter step: from 1.
  init(step: Int) {
    base = "/steps/\(step - 1)/expect"
  }

  /// A JSON pointer (RFC 6901).
  var pointer: String { base + JSONPointer.text(parts) }

  /// `reports[0].state`.
  var words: String {
    parts.reduce("") { text, part in
      if Int(part) != nil { return text + "[\(part)]" }
      return text.isEmpty ? part : text + "." + part
    }
  }

  static func / (path: ExpectationPath, part: String) -> ExpectationPath {
    var longer = path
    longer.parts.append(part)
    return longer
  }

  static func / (path: ExpectationPath, index: Int) -> ExpectationPath { path / String(index) }
}

/// Values as parts of a sentence.
enum Words {
  private static let longest = 400

  /// A text as it is, anything else as JSON, both cut when they are long.
  static func short(_ value: JSON) -> String {
    let text = value.string ?? value.text
    return text.count <= longest ? text : text.prefix(longest) + "…"
  }
}
