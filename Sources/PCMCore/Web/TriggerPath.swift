/// Comparison of a redirect target's path with the well-known trigger path.
package enum TriggerPath {
  /// Check 1 of section 4.2 of the reference: compares the path byte by byte without decoding it.
  package static let rules: [Rule<WebURL>] = [
    Rule(
      "path-is-the-trigger-path", "The redirect leads to /.well-known/private-click-measurement/trigger-attribution/.",
      .webkit("PrivateClickMeasurement.cpp"),
      reasons: ["path-not-a-trigger": "redirect to /.well-known/private-click-measurement/trigger-attribution/DD or …/DD/PP"],
      inputs: ["triggerURL": { .string($0.text) }]
    ) { url in
      guard !TriggerURL.isTrigger(url) else { return nil }
      let intended = intended(by: url.path)
      let spelling = spelling(of: url.path) ?? "a trigger path begins with \(TriggerURL.pathPrefix)"
      return Violation(
        "path-not-a-trigger", "the path \"\(url.path)\" is not the trigger path; \(spelling)",
        change: "redirect to \(intended ?? "\(TriggerURL.pathPrefix)DD or …/DD/PP")")
    }
  ]

  /// Returns the correct spelling of a misspelled path as the end of a sentence, or nil.
  package static func spelling(of path: String) -> String? {
    guard let intended = intended(by: path) else { return nil }
    guard !isChromes(path) else {
      return "it is a path of Chrome's Attribution Reporting API, which Safari lacks; Safari's path is \(intended)"
    }
    return "the closest correct spelling is \(intended)"
  }

  /// Returns whether a path is one of Chrome's Attribution Reporting API.
  static func isChromes(_ path: String) -> Bool { path.hasPrefix("/.well-known/attribution-reporting/") }

  /// Returns the trigger path that a misspelled path most likely means, or nil.
  package static func intended(by path: String) -> String? {
    let decoded = PercentEncoding.decoded(path.prefix(512).utf8, plusIsSpace: false)
    let segments = decoded.lowercased().split(separator: "/").suffix(maximumSegments).map { Array($0.utf8) }
    guard
      segments.contains(where: { segment in
        names.contains { EditDistance.between(segment, $0.text, atMost: $0.maximumErrors) != nil }
      })
    else { return nil }
    let tail = segments.suffix(2).reversed().prefix { $0.count <= 2 }.reversed().map { segment in
      (segment.count == 1 && segment[0] <= UInt8(ascii: "9") ? "0" : "") + String(decoding: segment, as: UTF8.self)
    }
    return TriggerURL.pathPrefix + (tail.isEmpty ? "DD" : tail.joined(separator: "/"))
  }

  /// The names in the trigger path, in its predecessor of 2019, and in the paths of Chrome, each with the number of errors in a
  /// misspelled name.
  /// Many paths contain the word "attribution".
  private static let names = [
    ("private-click-measurement", 8), ("trigger-attribution", 3), ("ad-click-attribution", 2), ("attribution-reporting", 2),
  ].map {
    (text: Array($0.utf8), maximumErrors: $1)
  }
  private static let maximumSegments = 8
}

/// The rest of the path after the prefix: `DD` or `DD/PP` (checks 11 to 13).
struct TriggerTail {
  let text: Substring

  init(_ text: Substring) {
    self.text = text
  }

  func read() -> Result<Trigger, Violation> {
    do throws(Violation) {
      return .success(try trigger())
    } catch {
      return .failure(error)
    }
  }

  private func trigger() throws(Violation) -> Trigger {
    switch text.utf8.count {
    case 2: return Trigger(data: try data(), priority: 0)
    case 5:
      let data = try data()
      // The separator may be any character, as in WebKit.
      guard let priority = Self.number(text.suffix(2)), priority <= 63 else {
        throw Violation(
          "priority-invalid", "priority \"\(text.suffix(2))\" is not a number from 00 to 63")
      }
      return Trigger(data: data, priority: priority)
    default:
      throw Violation(
        "path-unrecognised", "\"\(text)\" after trigger-attribution/ is neither DD nor DD/PP",
        change: "end the path with trigger-attribution/\(corrected ?? "DD or trigger-attribution/DD/PP")")
    }
  }

  private func data() throws(Violation) -> UInt8 {
    guard let data = Self.number(text.prefix(2)), data <= 15 else {
      throw Violation(
        "data-invalid", "trigger data \"\(text.prefix(2))\" is not a number from 00 to 15")
    }
    return data
  }

  /// The data, and the priority if there is one, with two digits each; nil when the path names no valid numbers.
  private var corrected: String? {
    let parts = text.split(separator: "/")
    let maximums = [15, 63]
    guard (1...2).contains(parts.count) else { return nil }
    let numbers = zip(parts, maximums).compactMap { part, maximum in
      part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part).flatMap { $0 <= maximum ? $0 : nil } : nil
    }
    guard numbers.count == parts.count else { return nil }
    return numbers.map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: "/")
  }

  var isLenient: Bool {
    let digitsAndSlash = text.utf8.enumerated().allSatisfy { index, byte in
      index == 2 ? byte == UInt8(ascii: "/") : byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
    return !digitsAndSlash
  }

  /// Parses two characters like WebKit's integer parser: digits, or a plus sign and a digit.
  private static func number(_ text: Substring) -> UInt8? {
    let digits = text.utf8.first == UInt8(ascii: "+") ? text.dropFirst() : text
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else { return nil }
    return UInt8(digits)
  }
}
