import PCMCore

/// What a text of a scenario file must be.
package enum TextFormat: String, Hashable, Sendable, CaseIterable {
  case any
  /// What people call something.
  case name
  case seed
  /// Since the start.
  case duration
  case instant
  /// A site or one of its hosts, lower-case.
  case host
  /// A reason, a failure or a rule: new ones may appear, so only the form is known.
  case code
  case pointer
  /// Of a URL, with the query.
  case path

  func accepts(_ text: String) -> Bool {
    switch self {
    case .any: true
    case .name: (1...200).contains(text.unicodeScalars.count) && Self.isPrintable(text)
    case .seed: (1...128).contains(text.unicodeScalars.count)
    case .duration: Interval(text: text) != nil
    case .instant: Instant(text: text) != nil
    case .host: text.utf8.count <= 253 && Self.areLabels(text, separator: ".")
    case .code: text.utf8.count <= 100 && Self.areLabels(text, separator: "-")
    case .pointer: text.isEmpty || text.hasPrefix("/")
    case .path: text.hasPrefix("/")
    }
  }

  /// In the words of a fault.
  var expected: String {
    switch self {
    case .any: "a text"
    case .name: "a text of 1 to 200 printable characters"
    case .seed: "a text of 1 to 128 characters"
    case .duration: "a duration such as PT26H"
    case .instant: "an RFC 3339 instant such as 2026-11-20T10:00:00.000Z"
    case .host: "a host in lower case such as shop.example"
    case .code: "a code in kebab case such as http-status"
    case .pointer: "a JSON pointer such as /sourceIdentifier, or an empty text"
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

  /// A regular expression of ECMA 262 that matches what is accepted, but for what no such expression can tell.
  var pattern: String? {
    switch self {
    case .any: nil
    case .name: #"^[^\u0000-\u001f\u007f-\u009f]{1,200}$"#
    case .seed: nil
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
    case .seed: 1...128
    case .host: 1...253
    case .code: 1...100
    case .any, .duration, .instant, .pointer, .path: nil
    }
  }

  private static func isPrintable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
  }

  /// Lower-case letters and digits between separators; a hyphen that is no separator may stand inside of a label.
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
