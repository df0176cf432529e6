/// The labels of a browser, and its idle timeout. They do not affect its decisions.
package struct BrowserUpkeep: Hashable, Sendable {
  package var labels: Labels
  /// The time without use after which the browser is removed; nil for never.
  package var idleTimeout: Interval?

  package static let idleTimeouts = Interval.minutes(1)...Interval.days(30)

  package init(labels: Labels = Labels(), idleTimeout: Interval? = nil) {
    self.labels = labels
    self.idleTimeout = idleTimeout
  }

  /// - Parameters:
  ///   - labels: Replaces all labels; nil keeps them.
  ///   - idleTimeout: Replaces the timeout, or removes it when zero; nil keeps it.
  package func changed(labels: Labels?, idleTimeout: Interval?) -> BrowserUpkeep {
    var changed = self
    if let labels { changed.labels = labels }
    if let idleTimeout { changed.idleTimeout = idleTimeout.milliseconds == 0 ? nil : idleTimeout }
    return changed
  }
}

/// The labels of a browser: text by key.
package struct Labels: Hashable, Sendable {
  package let values: [String: String]

  package static let maximumCount = 16
  package static let maximumKeyLength = 63
  /// In bytes of UTF-8.
  package static let maximumValueLength = 255

  package init(_ values: [String: String] = [:]) {
    self.values = values
  }

  /// The labels as an object, sorted by key.
  package var json: JSON {
    .object(values.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .string($0.value)) })
  }

  /// Each label as `key=value`, sorted by key.
  package var texts: [String] { values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } }

  /// Creates the labels from an object of strings.
  package init?(json: JSON) {
    guard case .object(let members) = json else { return nil }
    var values: [String: String] = [:]
    for member in members {
      guard case .string(let value) = member.value else { return nil }
      values[member.name] = value
    }
    self.values = values
  }

  package func containsAll(_ labels: [Label]) -> Bool {
    labels.allSatisfy { label in values[label.key].map { $0.utf8.elementsEqual(label.value.utf8) } ?? false }
  }

  /// Returns the error in a key; nil when it is valid.
  static func error(inKey key: String) -> InputError? {
    guard (1...maximumKeyLength).contains(key.utf8.count), key.utf8.allSatisfy(isAllowed) else {
      return InputError(
        [], "a key of a label has 1 to \(maximumKeyLength) of A-Z, a-z, 0-9, dot, underscore, slash, and hyphen")
    }
    return nil
  }

  /// Returns the error in a value; nil when it is valid.
  static func error(inValue value: String) -> InputError? {
    guard value.utf8.count <= maximumValueLength else {
      let length = value.utf8.count
      return InputError([], "the value has \(length) bytes; use at most \(maximumValueLength) bytes of UTF-8", .outOfRange)
    }
    guard value.unicodeScalars.allSatisfy(\.isPrintable) else { return InputError([], "use printable characters in a label") }
    return nil
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "/"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

/// One label, by which lists of browsers are filtered.
package struct Label: Hashable, Sendable {
  package let key: String
  package let value: String

  /// Creates a label from `key=value`; nil for other text.
  package init?(_ text: String) {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else { return nil }
    key = String(text[..<sign])
    value = String(text[text.index(after: sign)...])
  }
}

extension BodyValue<Labels> {
  static let labels = BodyValue(
    description: ValueDescription(
      kind: .object(BodyDescription(text: "Text by key.", members: [])), expected: "an object of strings", component: "Labels"),
    read: { (reader) throws(MalformedJSON) in
      let value = BodyValue<String>.string(component: "LabelValue") { Labels.error(inValue: $0) }
      guard let values = try reader.dictionary(of: value, error: { Labels.error(inKey: $0) }) else { return nil }
      guard values.count <= Labels.maximumCount else {
        return reader.addError("there are \(values.count) labels; use at most \(Labels.maximumCount)", .outOfRange)
      }
      return Labels(values)
    }, json: { $0.json })
}

extension BodyValue<Interval> {
  static let idleTimeout = duration(in: BrowserUpkeep.idleTimeouts, orZero: true)
}
