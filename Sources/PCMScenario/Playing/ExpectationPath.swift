import PCMCore

/// The path of an expectation in a file, starting with `/steps/2/expect`.
struct ExpectationPath: Hashable, Sendable {
  private var base = ""
  private var parts: [String] = []

  init() {}

  /// - Parameter step: The number of the step, starting with 1.
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

/// Formats values as parts of a sentence.
enum Words {
  private static let longest = 400

  /// Returns a string unchanged and other values as JSON. Long values are truncated.
  static func short(_ value: JSON) -> String {
    let text = value.string ?? value.text
    return text.count <= longest ? text : text.prefix(longest) + "…"
  }
}
