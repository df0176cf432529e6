package import PCMCore

/// An error in a scenario file: its place, the value, and the expectation.
package struct ScenarioError: Error, Hashable, Sendable {
  package let place: SourcePlace
  /// A JSON pointer to the value; empty for the whole file.
  package let pointer: String
  /// A sentence without a period: `expected a duration such as PT26H, found "26h"`.
  package let detail: String
  package let code: InputError.Code

  package init(
    _ detail: String, at place: SourcePlace, pointer: String = "", code: InputError.Code = .invalidValue
  ) {
    self.detail = detail
    self.place = place
    self.pointer = pointer
    self.code = code
  }
}

/// The errors of a file, in order.
package struct ScenarioErrors: Error, Hashable, Sendable {
  package let errors: [ScenarioError]

  package init(_ errors: [ScenarioError]) {
    self.errors = errors
  }
}

extension ScenarioErrors {
  /// Returns a description for people: each error with its place, and the line with a mark below the column.
  ///
  /// - Parameters:
  ///   - file: The name of the file.
  ///   - bytes: The contents of the file.
  package func text(file: String, bytes: [UInt8]) -> String {
    let excerpts = SourceExcerpts(bytes)
    return errors.map { error in
      "\(file):\(error.place.line):\(error.place.column): \(error.detail)\n\(excerpts.excerpt(at: error.place))"
    }.joined()
  }

  /// Returns the errors as JSON.
  package func json(file: String) -> JSON {
    .array(
      errors.map { error in
        [
          "file": .string(file), "line": .number(Int64(error.place.line)), "column": .number(Int64(error.place.column)),
          "pointer": .string(error.pointer), "detail": .string(error.detail),
        ]
      })
  }
}

/// Excerpts of an untrusted file, for display in a terminal.
package struct SourceExcerpts: Sendable {
  /// The number of columns before and after the marked one. Longer lines are truncated.
  private static let reach = 60

  private let lines: [ArraySlice<UInt8>]

  package init(_ bytes: [UInt8]) {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  }

  /// Returns a line with a mark below a column; empty when the line is empty.
  package func excerpt(at place: SourcePlace) -> String {
    guard lines.indices.contains(place.line - 1) else { return "" }
    let line = String(decoding: lines[place.line - 1], as: UTF8.self).unicodeScalars
    let start = max(0, place.column - 1 - Self.reach)
    let shown = String(String.UnicodeScalarView(line.dropFirst(start).prefix(2 * Self.reach).map(Self.printable)))
    guard shown.contains(where: { $0 != " " }) else { return "" }
    let (prefix, suffix) = (start > 0 ? "…" : "", line.count > start + 2 * Self.reach ? "…" : "")
    let indentation = String(repeating: " ", count: prefix.count + place.column - 1 - start)
    return "  \(prefix)\(shown)\(suffix)\n  \(indentation)^\n"
  }

  private static func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.properties.generalCategory {
    case .control: " "
    case .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: "\u{FFFD}"
    default: scalar
    }
  }
}
