import Hummingbird
import HummingbirdCore
import PCMBrowser
import PCMCore

/// A query parameter of a resource. It occurs at most once in a request unless it is repeatable.
struct QueryParameter: ExpressibleByStringLiteral {
  let name: String
  private(set) var isRepeatable = false

  init(stringLiteral name: String) {
    self.name = name
  }

  /// A filter with a set of values, one for each occurrence.
  static func repeatable(_ name: String) -> QueryParameter {
    var parameter = QueryParameter(stringLiteral: name)
    parameter.isRepeatable = true
    return parameter
  }
}

/// The query parameters of one request.
struct QueryReader {
  private let parameters: FlatDictionary<Substring, Substring>
  /// The name of the first parameter that is not UTF-8 in percent-encoding; nil when there is none.
  private let malformedName: String?

  /// Reads `+` as a space, as clients write it in queries.
  init(_ request: Request) {
    let given = FormQuery.parameters(of: request.uri.query ?? "")
    malformedName = given.first { !$0.isWellFormed }?.name
    parameters = FlatDictionary(given.map { ($0.name[...], $0.value[...]) })
  }

  /// Throws for a parameter that is not UTF-8 in percent-encoding, as for such a path, for an unknown parameter, and for a
  /// repeated parameter that is not repeatable: a misspelled name must not select a default silently, and no value is ignored.
  func rejectParameters(except allowed: [QueryParameter]) throws {
    if let malformedName {
      throw Problem.invalidParameter(
        malformedName, "the parameter is not UTF-8 in percent-encoding; encode a percent sign as %25")
    }
    for (name, _) in parameters {
      guard let parameter = allowed.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
        throw Self.unknown(name, allowed)
      }
      let count = parameters[values: name].count
      guard count == 1 || parameter.isRepeatable else {
        throw Problem.invalidParameter(parameter.name, "the parameter occurs \(count) times; send it once", .repeatedParameter)
      }
    }
  }

  private static func unknown(_ name: Substring, _ allowed: [QueryParameter]) -> Problem {
    let names = allowed.map(\.name).joined(separator: ", ")
    let known = allowed.isEmpty ? "this resource has no parameters" : "use one of \(names)"
    return .invalidParameter(String(name), "unknown parameter; \(known)", .unknownParameter)
  }

  func text(_ name: String) -> String? {
    parameters[name[...]].map(String.init)
  }

  /// Returns the values of a repeatable parameter. An empty value is an error.
  ///
  /// - Parameter maximumCount: The maximum number of different values, because each costs a search.
  func texts(_ name: String, maximumCount: Int) throws -> Set<String> {
    let texts = Set(parameters[values: name[...]].map(String.init))
    guard !texts.contains("") else {
      throw Problem.invalidParameter(name, "the value is empty; send one, or omit the parameter")
    }
    guard texts.count <= maximumCount else {
      throw Problem.invalidParameter(name, "\(texts.count) different values; send at most \(maximumCount)", .outOfRange)
    }
    return texts
  }

  /// The maximum number of sites in a filter, because each costs a search.
  static var maximumSites: Int { 16 }

  /// Returns the sites in a repeatable parameter with hosts.
  func sites(_ name: String, in browser: Browser) throws -> Set<Site> {
    // The sites are sorted so that the same request has the same problem.
    Set(try texts(name, maximumCount: Self.maximumSites).sorted().map { try Self.site($0, of: name, in: browser) })
  }

  /// Returns the site of a host in a parameter.
  static func site(_ text: String, of name: String, in browser: Browser) throws -> Site {
    do {
      return try browser.site(ofHost: text)
    } catch BrowserError.invalidInput(let errors) {
      throw Problem.invalidParameter(name, errors.map(\.detail).joined(separator: "; "))
    }
  }

  /// The maximum number of items on a page.
  static var maximumItems: Int { 1_000 }

  func limit(default standard: Int = 100, maximum: Int = maximumItems) throws -> Int {
    guard let text = text("limit") else { return standard }
    let number = Int(digits: text)
    if let number, (1...maximum).contains(number) { return number }
    throw Problem.invalidParameter(
      "limit", "\"\(text)\" is not an integer from 1 to \(maximum)", number == nil ? .invalidValue : .outOfRange)
  }

  /// Returns the values of a repeatable parameter.
  func choices<Value: RawRepresentable<String> & CaseIterable & Hashable>(
    _ name: String, of type: Value.Type
  ) throws -> Set<Value> {
    Set(try parameters[values: name[...]].map { try Self.value(String($0), of: name) })
  }

  private static func value<Value: RawRepresentable<String> & CaseIterable>(
    _ text: String, of name: String
  ) throws -> Value {
    guard let value = Value.allCases.first(where: { $0.rawValue == text }) else {
      let choices = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem.invalidParameter(name, "\"\(text)\" is not one of \(choices)")
    }
    return value
  }

  func interval(_ name: String, maximum: Interval) throws -> Interval? {
    guard let text = text(name) else { return nil }
    let interval = Interval(text: text)
    if let interval, interval <= maximum { return interval }
    throw Problem.invalidParameter(
      name, "\"\(text)\" is not an ISO 8601 duration of at most \(maximum.text), such as PT5S",
      interval == nil ? .invalidValue : .outOfRange)
  }
}
