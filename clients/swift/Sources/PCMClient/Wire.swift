import Foundation

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
      guard let ending = ["Id", "Ids"].first(where: name.hasSuffix) else { return MemberName(stringValue: name) }
      return MemberName(stringValue: name.dropLast(ending.count) + (ending == "Id" ? "ID" : "IDs"))
    }
    return decoder
  }

  static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(date.wire)
    }
    return encoder
  }
}

/// The name of a member as the properties of this library have it, or of a request.
private struct MemberName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// A JSON object in a request: `["url": url, "windows": windows]`. A member whose value is nil is omitted.
struct Members: Encodable, ExpressibleByDictionaryLiteral {
  private var members: [(name: String, value: (any Encodable)?)]

  init(dictionaryLiteral members: (String, (any Encodable)?)...) { self.members = members }

  /// Adds the members of another object.
  static func + (left: Members, right: Members) -> Members {
    var sum = left
    sum.members += right.members
    return sum
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: MemberName.self)
    for (name, value) in members {
      guard let value else { continue }
      try container.encode(value, forKey: MemberName(stringValue: name))
    }
  }
}

extension Date {
  /// Parses `2026-11-20T10:00:00.000Z`, to the millisecond.
  init?(wire text: String) {
    // The parser of Foundation would round the fraction of a second.
    let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    guard text.hasSuffix("Z"), let second = parts.first, let date = try? Date("\(second)Z", strategy: .iso8601) else {
      return nil
    }
    guard parts.count > 1 else {
      self = date
      return
    }
    guard parts.count == 2, !parts[1].isEmpty, parts[1].allSatisfy(\.isNumber), let fraction = Int(("\(parts[1])000").prefix(3))
    else { return nil }
    self.init(timeIntervalSince1970: (date.timeIntervalSince1970 * 1_000 + Double(fraction)) / 1_000)
  }

  /// RFC 3339 in UTC with milliseconds.
  var wire: String {
    let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
    let second = (milliseconds / 1_000).rounded(.down)
    let fraction = String(1_000 + Int(milliseconds - second * 1_000)).dropFirst()
    return Date(timeIntervalSince1970: second).formatted(.iso8601).dropLast() + ".\(fraction)Z"
  }
}

extension String {
  /// The string percent-encoded as a path segment or a query value (RFC 3986, section 2.3).
  var pathPart: String {
    addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? self
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

/// A value of the service's vocabulary. Known values are static members. Values of newer services also decode.
///
/// ```swift
/// let kind = Event.Kind(rawValue: "kind-of-a-newer-service")
/// #expect(kind != .clickStored && "\(kind)" == "kind-of-a-newer-service")
/// ```
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
