import Foundation
import PCMCore

/// The encoding of values in requests and responses.
enum Wire {
  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      guard let date = Date(wire: text) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text)\" is not an RFC 3339 instant in UTC")
      }
      return date
    }
    // The service's JSON has Id for ID in names.
    decoder.keyDecodingStrategy = .custom { path in
      let name = path.last?.stringValue ?? ""
      let ending = ["Id", "Ids"].first(where: name.hasSuffix) ?? ""
      return MemberName(stringValue: name.dropLast(ending.count) + ending.replacing("Id", with: "ID"))
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

/// The name of a member as the properties of this library have it.
private struct MemberName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension Date {
  /// Parses `2026-11-20T10:00:00.000Z`, to the millisecond.
  init?(wire text: String) {
    guard let instant = Instant(text: text) else { return nil }
    self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
  }

  /// The milliseconds since 1970, the service's unit.
  var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1_000).rounded()) }

  /// RFC 3339 in UTC with milliseconds.
  var wire: String { Instant(milliseconds: milliseconds).text }
}

extension Duration {
  /// Returns a duration in minutes of 60 seconds.
  public static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }

  /// Returns a duration in hours of 60 minutes.
  public static func hours(_ count: Int) -> Duration { .minutes(count * 60) }

  /// Returns a duration in days of 24 hours.
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

  /// Parses an ISO 8601 duration in hours, minutes, and seconds, to the microsecond: `PT9600H`, `PT1H0.012345S`.
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
    self = .microseconds(Int64((seconds * 1_000_000).rounded()))
  }
}

// Members with a duration, which the decoders that the compiler writes use.
extension KeyedDecodingContainer {
  func decode(_ type: Duration.Type, forKey key: Key) throws -> Duration {
    let text = try decode(String.self, forKey: key)
    guard let duration = Duration(wire: text) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "\"\(text)\" is not an ISO 8601 duration in hours, minutes, and seconds")
    }
    return duration
  }

  func decodeIfPresent(_ type: Duration.Type, forKey key: Key) throws -> Duration? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    return try decode(type, forKey: key)
  }
}

extension KeyedEncodingContainer {
  mutating func encode(_ duration: Duration, forKey key: Key) throws { try encode(duration.wire, forKey: key) }
}

/// A value of the service's vocabulary. Known values are static members. Values of newer services decode, too.
public protocol Term: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible where RawValue == String {
  /// Creates a value from the string in the service's JSON.
  init(rawValue: String)
}

extension Term {
  /// The string in the service's JSON.
  public var description: String { rawValue }

  init(_ word: String) {
    self.init(rawValue: word)
  }
}
