import Hummingbird
import HummingbirdCore
import PCMCore

/// The query parameters of one request.
struct QueryReader {
  private let parameters: FlatDictionary<Substring, Substring>

  init(_ request: Request) {
    parameters = request.uri.queryParameters
  }

  /// Throws for an unknown parameter: a misspelled name must not select a default silently.
  func rejectParameters(except allowed: [String]) throws {
    for (name, _) in parameters where !allowed.contains(String(name)) {
      let known = allowed.isEmpty ? "this resource has no parameters" : "use one of \(allowed.joined(separator: ", "))"
      throw Problem.invalidParameter(String(name), "unknown parameter; \(known)")
    }
  }

  func text(_ name: String) -> String? {
    parameters[name[...]].map(String.init)
  }

  func limit(default standard: Int = 100, most: Int = 1_000) throws -> Int {
    guard let text = text("limit") else { return standard }
    guard let limit = Int(text), (1...most).contains(limit) else {
      throw Problem.invalidParameter("limit", "\"\(text)\" is not an integer from 1 to \(most)")
    }
    return limit
  }

  /// Returns the number after which the list continues; 0 for the first page.
  func position(_ name: String) throws -> Int64 {
    guard let text = text(name) else { return 0 }
    guard let position = Int64(text), position >= 0 else {
      throw Problem.invalidParameter(name, "\"\(text)\" is not a cursor of this list; use the \"next\" of a page")
    }
    return position
  }

  func choice<Value: RawRepresentable<String> & CaseIterable>(_ name: String, of type: Value.Type) throws -> Value? {
    guard let text = text(name) else { return nil }
    guard let value = Value(rawValue: text) else {
      let choices = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem.invalidParameter(name, "\"\(text)\" is not one of \(choices)")
    }
    return value
  }

  func interval(_ name: String, default standard: Interval, most: Interval) throws -> Interval {
    guard let text = text(name) else { return standard }
    guard let interval = Interval(text: text), interval <= most else {
      throw Problem.invalidParameter(name, "\"\(text)\" is not an ISO 8601 duration of at most \(most.text), such as PT5S")
    }
    return interval
  }
}

/// One page of a list: the items, and the cursor of the next page, or null on the last page.
enum Page {
  static func json(_ items: [JSON], next: String?) -> JSON {
    ["items": .array(items), "next": .string(next)]
  }
}
