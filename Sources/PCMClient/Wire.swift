import Foundation

/// How values look in requests and answers.
enum Wire {
  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      guard let date = Date(wire: text) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text)\" is no RFC 3339 instant in UTC")
      }
      return date
    }
    return decoder
  }

  static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(date.wire)
    }
    return encoder
  }
}

extension Date {
  /// Reads `2026-11-20T10:00:00.000Z`, the fraction up to the millisecond or absent.
  init?(wire text: String) {
    guard text.hasSuffix("Z") else { return nil }
    let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let seconds = try? Date("\(parts[0])Z", strategy: .iso8601) else { return nil }
    guard parts.count == 2 else {
      self = seconds
      return
    }
    guard !parts[1].isEmpty, parts[1].utf8.count <= 9, parts[1].utf8.allSatisfy({ 48...57 ~= $0 }),
      let milliseconds = Int((parts[1] + "00").prefix(3))
    else { return nil }
    // In whole milliseconds, or the same instant would not always be the same number.
    self.init(timeIntervalSince1970: (seconds.timeIntervalSince1970 * 1_000 + Double(milliseconds)) / 1_000)
  }

  /// Since 1970, the service's unit.
  var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1_000).rounded()) }

  /// RFC 3339 in UTC with milliseconds.
  var wire: String {
    let fraction = (milliseconds % 1_000 + 1_000) % 1_000
    let seconds = Date(timeIntervalSince1970: Double((milliseconds - fraction) / 1_000))
    return "\(seconds.formatted(.iso8601).dropLast()).\(String(1_000 + fraction).dropFirst())Z"
  }
}

extension Duration {
  /// So many minutes of 60 seconds.
  public static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }

  /// So many hours of 60 minutes.
  public static func hours(_ count: Int) -> Duration { .minutes(count * 60) }

  /// So many days of 24 hours.
  public static func days(_ count: Int) -> Duration { .hours(count * 24) }

  /// Whole milliseconds, the service's unit.
  var milliseconds: Int {
    Int(components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }

  /// ISO 8601 in hours and seconds: `PT48H`, `PT0.500S`.
  var wire: String {
    guard self >= .zero else { return "-" + (.zero - self).wire }
    let (hours, rest) = milliseconds.quotientAndRemainder(dividingBy: 3_600_000)
    let seconds = "\(rest / 1_000)" + (rest % 1_000 == 0 ? "" : ".\(String(1_000 + rest % 1_000).dropFirst())")
    return "PT" + (hours > 0 ? "\(hours)H" : "") + (rest > 0 || hours == 0 ? "\(seconds)S" : "")
  }

  /// Reads ISO 8601 in hours, minutes, and seconds: `PT9600H`, `PT1H0.5S`.
  init?(wire text: String) {
    guard text.wholeMatch(of: /PT(?=.)([0-9]+H)?([0-9]+M)?([0-9.]+S)?/) != nil else { return nil }
    var (seconds, number) = (0.0, "")
    for character in text.dropFirst(2) {
      guard let unit = ["H": 3_600.0, "M": 60, "S": 1][character] else {
        number.append(character)
        continue
      }
      guard let count = Double(number) else { return nil }
      (seconds, number) = (seconds + count * unit, "")
    }
    guard seconds < 1e12 else { return nil }
    self = .milliseconds(Int64((seconds * 1_000).rounded()))
  }

  /// Reads seconds in ISO 8601, as timings have them: `PT0.012345S`.
  init?(wireSeconds text: String) {
    guard text.hasPrefix("PT"), text.hasSuffix("S"), let seconds = Double(text.dropFirst(2).dropLast()), seconds >= 0,
      seconds < 1e9
    else { return nil }
    self = .microseconds(Int64((seconds * 1_000_000).rounded()))
  }
}

/// A word of the service's vocabulary. The known ones are static members; a newer service may say others, which decode
/// all the same.
public protocol Term: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible where RawValue == String {
  /// The word as it stands in the service's answers.
  init(rawValue: String)
}

extension Term {
  /// The word as it stands in the service's answers.
  public var description: String { rawValue }

  init(_ word: String) {
    self.init(rawValue: word)
  }
}
