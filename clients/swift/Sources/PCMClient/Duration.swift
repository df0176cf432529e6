/// A length of time, to the microsecond: `.hours(48)`, `.days(7) + .seconds(1)`.
///
/// Use it in place of the standard library's `Swift.Duration`, which requires iOS 16.
///
/// ```swift
/// let window: Duration = .days(7) - .seconds(1)
/// try await browser.advance(by: window)
/// #expect(window.seconds == 604_799)
/// ```
public struct Duration: Hashable, Sendable {
  /// Whole microseconds.
  let microseconds: Int

  /// No time.
  public static let zero = Duration(microseconds: 0)

  /// Returns a duration in microseconds.
  public static func microseconds(_ count: Int) -> Duration { Duration(microseconds: count) }

  /// Returns a duration in milliseconds.
  public static func milliseconds(_ count: Int) -> Duration { .microseconds(count * 1_000) }

  /// Returns a duration in seconds.
  public static func seconds(_ count: Int) -> Duration { .milliseconds(count * 1_000) }

  /// Returns a duration in seconds, to the microsecond.
  public static func seconds(_ count: Double) -> Duration { .microseconds(Int((count * 1_000_000).rounded())) }

  /// Returns a duration in minutes of 60 seconds.
  public static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }

  /// Returns a duration in hours of 60 minutes.
  public static func hours(_ count: Int) -> Duration { .minutes(count * 60) }

  /// Returns a duration in days of 24 hours.
  public static func days(_ count: Int) -> Duration { .hours(count * 24) }

  /// The seconds with their fraction.
  public var seconds: Double { Double(microseconds) / 1_000_000 }
}

extension Duration: AdditiveArithmetic, Comparable {
  /// Adds two durations.
  public static func + (left: Duration, right: Duration) -> Duration { .microseconds(left.microseconds + right.microseconds) }

  /// Subtracts a duration.
  public static func - (left: Duration, right: Duration) -> Duration { .microseconds(left.microseconds - right.microseconds) }

  /// Compares two durations.
  public static func < (left: Duration, right: Duration) -> Bool { left.microseconds < right.microseconds }
}

extension Duration: CustomStringConvertible {
  /// `0.05 seconds`
  public var description: String { "\(seconds) seconds" }
}

extension Duration: Codable {
  /// Decodes an ISO 8601 duration in hours, minutes, and seconds.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let duration = Duration(wire: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text)\" is not an ISO 8601 duration in hours, minutes, and seconds")
    }
    self = duration
  }

  /// Encodes the duration as in ``wire``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wire)
  }

  /// ISO 8601 in hours and seconds, to the millisecond, the service's unit: `PT48H`, `PT0.500S`.
  var wire: String {
    guard self >= .zero else { return "-" + (.zero - self).wire }
    let (hours, rest) = (microseconds / 1_000).quotientAndRemainder(dividingBy: 3_600_000)
    let seconds = "\(rest / 1_000)" + (rest % 1_000 == 0 ? "" : ".\(String(1_000 + rest % 1_000).dropFirst())")
    return "PT" + (hours > 0 ? "\(hours)H" : "") + (rest > 0 || hours == 0 ? "\(seconds)S" : "")
  }

  /// Parses an ISO 8601 duration in hours, minutes, and seconds, to the microsecond: `PT9600H`, `PT1H0.012345S`.
  init?(wire text: String) {
    guard text.hasPrefix("PT"), text.count > 2 else { return nil }
    var (seconds, number, units) = (0.0, "", "HMS"[...])
    for character in text.dropFirst(2) {
      guard let length = ["H": 3_600.0, "M": 60, "S": 1][character] else {
        guard character == "." || "0"..."9" ~= character else { return nil }
        number.append(character)
        continue
      }
      // Each unit occurs once, in this order.
      guard let count = Double(number), let unit = units.firstIndex(of: character) else { return nil }
      (seconds, number, units) = (seconds + count * length, "", units[units.index(after: unit)...])
    }
    guard number.isEmpty, seconds < 1e12 else { return nil }
    self = .seconds(seconds)
  }
}
