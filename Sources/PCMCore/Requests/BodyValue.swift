/// A codec for the value of a member, with its description for documents.
package struct BodyValue<Value: Sendable>: Sendable {
  let description: ValueDescription
  /// Reads the value. Returns nil for a value of another kind, or after adding an error about it.
  let read: @Sendable (inout BodyReader) throws(MalformedJSON) -> Value?
  let json: @Sendable (Value) -> JSON
}

/// The description of a value in documents.
package struct ValueDescription: Sendable {
  package let kind: Kind
  /// The expected value in the words of an error, after "it is".
  package let expected: String
  /// The keywords of the JSON Schema except `type`, or of the component if there is one.
  package var keywords: [JSON.Member] = []
  /// The schema of `openapi.json` that describes such values.
  package var component: String?

  package enum Kind: Sendable {
    case text
    case flag
    case integer
    case number
    case list
    case object(BodyDescription)
  }
}

extension BodyValue<String> {
  /// - Parameters:
  ///   - expected: In the words of an error, after "it is".
  ///   - component: The schema of `openapi.json` that describes such values.
  package static func string(
    _ expected: String = "a string", keywords: [JSON.Member] = [], component: String? = nil
  ) -> BodyValue {
    BodyValue(
      description: ValueDescription(kind: .text, expected: expected, keywords: keywords, component: component),
      read: { (reader) throws(MalformedJSON) in try reader.text() }, json: { .string($0) })
  }

  package static let text = string()
  package static let url = string("a string with an absolute URL", keywords: [.init("format", "uri")])
  package static let attribute = string("a string, the attribute as written")

  /// One of several words. Other words are also read, so that the browser rejects the call and keeps it for explanations.
  package static func word(_ words: [String], component: String? = nil) -> BodyValue {
    let choices = words.map { "\"\($0)\"" }.joined(separator: words.count > 2 ? ", " : " or ")
    return string(choices, keywords: [.init("enum", .array(words.map { .string($0) }))], component: component)
  }

  /// A text of a limited size.
  ///
  /// - Parameter maximumSize: In bytes of UTF-8.
  static func string(_ expected: String = "a string", upTo maximumSize: Int) -> BodyValue {
    BodyValue(
      description: ValueDescription(
        kind: .text, expected: expected, keywords: [.init("maxLength", .number(Int64(maximumSize)))]),
      read: { (reader) throws(MalformedJSON) in
        guard let text = try reader.text() else { return nil }
        let size = text.utf8.count
        guard size > maximumSize else { return text }
        return reader.addError("\(reader.member) has \(size) bytes; use at most \(maximumSize) bytes of UTF-8", .outOfRange)
      }, json: { .string($0) })
  }

  /// A text with a rule. The path of the rule's error is empty.
  static func string(component: String, error: @escaping @Sendable (String) -> InputError?) -> BodyValue {
    BodyValue(
      description: ValueDescription(kind: .text, expected: "a string", component: component),
      read: { (reader) throws(MalformedJSON) in
        guard let text = try reader.text() else { return nil }
        guard let error = error(text) else { return text }
        return reader.add(error)
      }, json: { .string($0) })
  }
}

extension BodyValue where Value: RawRepresentable<String> & CaseIterable {
  /// One word of an enumeration.
  package static func choice(_ type: Value.Type, component: String? = nil) -> BodyValue {
    let choices = Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: Value.allCases.count > 2 ? ", " : " or ")
    let words = JSON.array(Value.allCases.map { .string($0.rawValue) })
    return BodyValue(
      description: ValueDescription(
        kind: .text, expected: choices, keywords: [.init("enum", words)], component: component),
      read: { (reader) throws(MalformedJSON) in
        guard let text = try reader.text() else { return nil }
        return Value(rawValue: text) ?? reader.reject(.invalidValue)
      },
      json: { .string($0.rawValue) })
  }
}

extension BodyValue<Bool> {
  package static let flag = BodyValue(
    description: ValueDescription(kind: .flag, expected: "true or false"),
    read: { (reader) throws(MalformedJSON) in try reader.flag() }, json: { .bool($0) })

  /// Only true. Without it, the member is absent.
  package static let yes = BodyValue(
    description: ValueDescription(kind: .flag, expected: "true or false", keywords: [.init("const", .bool(true))]),
    read: { (reader) throws(MalformedJSON) in
      guard let flag = try reader.flag() else { return nil }
      return flag ? true : reader.addError("\(reader.member) can only be true; omit it otherwise")
    }, json: { .bool($0) })
}

extension BodyValue where Value: FixedWidthInteger {
  /// - Parameters:
  ///   - expected: In the words of an error, after "it is".
  ///   - range: The accepted values.
  ///   - keywords: The keywords of the JSON Schema.
  package static func integer(
    _ expected: String, in range: ClosedRange<Value> = .min ... .max, keywords: [JSON.Member] = []
  ) -> BodyValue {
    BodyValue(
      description: ValueDescription(kind: .integer, expected: expected, keywords: keywords),
      read: { (reader) throws(MalformedJSON) in
        guard let number = try reader.number() else { return nil }
        if let value: Value = number.integer(), range.contains(value) { return value }
        return reader.reject(number.isWhole ? .outOfRange : .wrongType)
      }, json: { .number(Int64(clamping: $0)) })
  }
}

extension BodyValue<Double> {
  package static func number(_ expected: String, in range: ClosedRange<Double>) -> BodyValue {
    BodyValue(
      description: ValueDescription(kind: .number, expected: expected),
      read: { (reader) throws(MalformedJSON) in
        guard let number = try reader.number() else { return nil }
        return number.double.flatMap { range.contains($0) ? $0 : nil } ?? reader.reject(.outOfRange)
      },
      // The shortest text that reads back as the same value.
      json: { .verbatim("\($0)") })
  }
}

extension BodyValue {
  /// An array of values of one kind.
  ///
  /// - Parameter keywords: The keywords of the JSON Schema, including `items`.
  package static func list<Item: Sendable>(
    of item: BodyValue<Item>, _ expected: String, keywords: [JSON.Member] = []
  ) -> BodyValue where Value == [Item] {
    BodyValue(
      description: ValueDescription(kind: .list, expected: expected, keywords: keywords),
      read: { (reader) throws(MalformedJSON) in try reader.list(of: item) }, json: { .array($0.map(item.json)) })
  }
}

extension BodyValue<Interval> {
  package static let duration = duration(in: Interval(milliseconds: .min)...Interval(milliseconds: .max))

  /// - Parameters:
  ///   - range: The accepted durations.
  ///   - orZero: Whether to also accept a duration of zero.
  package static func duration(in range: ClosedRange<Interval>, orZero: Bool = false) -> BodyValue {
    BodyValue(
      description: ValueDescription(
        kind: .text, expected: "an ISO 8601 duration such as PT48H or P7D", keywords: [.init("format", "iso8601-duration")]),
      read: { (reader) throws(MalformedJSON) in
        guard let text = try reader.text() else { return nil }
        guard let interval = Interval(text: text) else {
          return reader.addError(
            "\"\(text)\" is not an ISO 8601 duration of weeks, days, hours, minutes, and seconds, such as PT48H")
        }
        guard range.contains(interval) || (orZero && interval.milliseconds == 0) else {
          let zero = orZero ? ", or PT0S" : ""
          return reader.addError(
            "\(reader.member) is a duration from \(range.lowerBound.text) to \(range.upperBound.text)\(zero)", .outOfRange)
        }
        return interval
      }, json: { .string($0.text) })
  }
}

extension BodyValue<Instant> {
  /// An instant of a manual clock.
  package static let instant = BodyValue(
    description: ValueDescription(
      kind: .text, expected: "an RFC 3339 instant such as 2026-11-20T10:00:00Z", keywords: [.init("format", "date-time")]),
    read: { (reader) throws(MalformedJSON) in
      guard let text = try reader.text() else { return nil }
      let instant = Instant(text: text)
      if let instant, instant <= .latestOfClock { return instant }
      return reader.addError(
        "\"\(text)\" is not an RFC 3339 instant from \(Instant.earliest.text) to \(Instant.latestOfClock.text)",
        instant == nil ? .invalidValue : .outOfRange)
    }, json: { .string($0.text) })
}

extension BodyValue where Value: JSONBody {
  /// An object within the body.
  package static func object(_ expected: String, component: String? = nil) -> BodyValue {
    BodyValue(
      description: ValueDescription(
        kind: .object(Value.definition.description), expected: expected, component: component),
      read: { (reader) throws(MalformedJSON) in try reader.object(Value.self) }, json: { $0.json })
  }
}
