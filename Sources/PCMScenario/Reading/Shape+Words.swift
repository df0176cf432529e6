import PCMCore

extension Shape {
  /// The shape in an error message.
  var expected: String {
    switch self {
    case .any: "a value"
    case .flag: "true or false"
    case .yes: "true; otherwise, omit it"
    case .integer(nil): "an integer"
    case .integer(let range?): "an integer from \(range.lowerBound) to \(range.upperBound)"
    case .number: "a number"
    case .share: "a share from 0 to 1 such as 0.15"
    case .text(let format): format.expected
    case .choice(let choices): Self.alternatives(choices)
    case .list: "a list"
    case .window: "two durations such as [PT27H, PT51H]"
    case .object(let object) where object.members.isEmpty: "{}"
    case .object, .map: "an object"
    case .oneOf(let shapes): Self.alternatives(Self.openings(shapes))
    case .nullable(let shape): "\(shape.expected), or null"
    case .named(_, let shape): shape.expected
    }
  }

  /// Whether the value has the kind of the shape.
  func takes(_ node: SourceNode) -> Bool {
    switch (self, node.value) {
    case (.named(_, let shape), _): shape.takes(node)
    case (.any, _), (.nullable, .null), (.flag, .bool), (.yes, .bool), (.integer, .number), (.number, .number),
      (.number, .decimal), (.share, .number),
      (.share, .decimal), (.text, .text), (.choice, .text),
      (.list, .list), (.window, .list), (.object, .object), (.map, .object):
      true
    case (.nullable(let shape), _): shape.takes(node)
    case (.oneOf(let shapes), _): shapes.contains { $0.takes(node) }
    default: false
    }
  }

  /// Describes several objects by their first members.
  private static func openings(_ shapes: [Shape]) -> [String] {
    let objects = shapes.filter { if case .object = $0.unnamed { true } else { false } }
    return shapes.map { shape in
      guard objects.count > 1, case .object(let object) = shape.unnamed, let leading = object.members.first else {
        return shape.expected
      }
      return "an object with \(leading.name)"
    }
  }

  private static func alternatives(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.joined() }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }
}

extension SourceNode {
  /// The value of a number; nil for another value.
  package var number: Double? {
    switch value {
    case .number(let number): Double(number)
    case .decimal(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
    default: nil
    }
  }

  /// Advice about a share: `20 percent is 0.2` for 20 and for `20%`.
  var shareAdvice: String {
    let text = shown.filter { $0 != "\"" && $0 != " " }
    let digits = (text.hasSuffix("%") ? text.dropLast() : text[...]).replacing(",", with: ".")
    guard let number = Double(digits), (0...100).contains(number) else { return "" }
    return number > 1 || text.hasSuffix("%") ? "; \(digits) percent is \(number / 100)" : "; write \(number)"
  }

  /// The value in an error message.
  var shown: String {
    switch value {
    case .null: "null"
    case .bool(let flag): "\(flag)"
    case .number(let number): "\(number)"
    case .decimal(let text): text
    case .text(let text): text.quoted
    case .list(let items): items.isEmpty ? "an empty list" : "a list"
    case .object(let members): members.isEmpty ? "{}" : "an object"
    }
  }
}

extension String {
  /// The string in quotes, truncated when it is long.
  package var quoted: String { JSON.string(count > 60 ? prefix(60) + "…" : self).text }
}
