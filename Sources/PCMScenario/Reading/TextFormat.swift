import PCMCore

/// The format of a string in a scenario file.
package enum TextFormat: String, Hashable, Sendable, CaseIterable {
  case any
  /// A name for people. A scenario's name is also its default seed.
  case name
  case seed
  /// The time since the start.
  case duration
  /// An instant of a clock.
  case instant
  /// A site or one of its hosts, in lowercase.
  case host
  /// A reason, a failure, or a rule. Only the form is checked, because new codes may be added.
  case code
  case pointer
  /// The path and query of a URL.
  case path

  /// The maximum length of a name in bytes of UTF-8.
  static let nameLimit = 200

  package func accepts(_ text: String) -> Bool {
    switch self {
    case .any: true
    case .name: (1...Self.nameLimit).contains(text.utf8.count) && Self.isPrintable(text)
    case .seed: Seed.error(in: text) == nil
    case .duration: Interval(text: text) != nil
    case .instant: Instant(text: text).map { $0 <= .latestOfClock } ?? false
    case .host: text.utf8.count <= 253 && Self.areLabels(text, separator: ".")
    case .code: text.utf8.count <= 100 && Self.areLabels(text, separator: "-")
    case .pointer: text.isEmpty || text.hasPrefix("/")
    case .path: text.hasPrefix("/")
    }
  }

  /// The format in an error message.
  package var expected: String {
    switch self {
    case .any: "a string"
    case .name: "a string of 1 to 200 bytes of printable characters"
    case .seed: "a string of 1 to 200 bytes without U+0000"
    case .duration: "a duration such as PT26H"
    case .instant: "an RFC 3339 instant in the years 1970 to 9998 such as 2026-11-20T10:00:00.000Z"
    case .host: "a host in lowercase such as shop.example"
    case .code: "a code in kebab case such as http-status"
    case .pointer: "a JSON pointer such as /sourceIdentifier, or an empty string"
    case .path: "a path such as /pixel"
    }
  }

  var example: String? {
    switch self {
    case .any, .name: nil
    case .seed: "114"
    case .duration: "PT26H"
    case .instant: "2026-11-20T10:00:00.000Z"
    case .host: "shop.example"
    case .code: "http-status"
    case .pointer: "/sourceIdentifier"
    case .path: "/pixel"
    }
  }

  /// An ECMA-262 regular expression that matches the format approximately.
  var pattern: String? {
    switch self {
    case .any: nil
    case .name: #"^[^\u0000-\u001f\u007f-\u009f]{1,200}$"#
    case .seed: #"^[^\u0000]+$"#
    case .duration:
      #"^P(?=[0-9T])([0-9]+W)?([0-9]+D)?(T(?=[0-9])([0-9]+H)?([0-9]+M)?([0-9]+([.][0-9]+)?S)?)?$"#
    case .instant:
      #"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$"#
    case .host: "^[a-z0-9]([a-z0-9-]*[a-z0-9])?([.][a-z0-9]([a-z0-9-]*[a-z0-9])?)*$"
    case .code: "^[a-z0-9]+(-[a-z0-9]+)*$"
    case .pointer: "^(/.*)?$"
    case .path: "^/"
    }
  }

  var lengths: ClosedRange<Int>? {
    switch self {
    case .name: 1...200
    case .seed: 1...200
    case .host: 1...253
    case .code: 1...100
    case .any, .duration, .instant, .pointer, .path: nil
    }
  }

  private static func isPrintable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
  }

  /// Whether the text consists of lowercase letters and digits between separators. Hyphens can occur inside a label.
  private static func areLabels(_ text: String, separator: Character) -> Bool {
    text.split(separator: separator, omittingEmptySubsequences: false).allSatisfy { label in
      !label.isEmpty && !label.hasPrefix("-") && !label.hasSuffix("-")
        && label.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
          default: byte == UInt8(ascii: "-")
          }
        }
    }
  }
}
