import Foundation

/// Validates values with the part of JSON Schema that the OpenAPI document uses. An unknown keyword is an error, so that
/// nothing in the document remains unchecked.
///
/// In one respect it is stricter than the standard: a member that a schema with `properties` does not list is an error,
/// whether or not the schema is closed. Clients must accept further members in answers; the service documents all of them.
struct JSONSchema {
  /// Where `$ref` leads.
  let root: JSONValue
  /// Which properties were met, by their place in the document, with the kinds of values that they had.
  private(set) var seen: [String: Set<String>] = [:]
  /// Which values of the enumerations were met, by the place of the enumeration.
  private(set) var chosen: [String: Set<JSONValue>] = [:]

  init(root: JSONValue) {
    self.root = root
  }

  struct Fault: Hashable, CustomStringConvertible {
    let place: String
    let text: String

    var description: String { "\(place.isEmpty ? "the value" : place): \(text)" }
  }

  static let annotations: Set<String> = ["description", "title", "default", "example", "examples", "contentMediaType"]
  static let formats: [String: String] = [
    "date-time": #"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$"#,
    "iso8601-duration": "^P",
    "uri": #"^[a-z][a-z0-9+.-]*:"#,
    "page-url": #"^$|^[a-z][a-z0-9+.-]*:"#,
    "hostname": #"^[^/ :]+$"#,
    "bundle-identifier": #"^[A-Za-z0-9._-]+$"#,
    "info-plist": #"^<\?xml"#,
    "scenario": #"^scenario: "#,
    "label-value": "^.{0,255}$",
    "seed": "^.{1,200}$",
    "browser-name": #"^\S(.*\S)?$"#,
    "p256-public-key": "^(-----BEGIN PUBLIC KEY-----|[A-Za-z0-9+/]+=*$)",
  ]

  /// What is wrong with a value; empty when it is as the schema says.
  ///
  /// - Parameters:
  ///   - location: where the schema is in the document, for `seen`.
  ///   - place: the JSON pointer to the value.
  mutating func faults(_ value: JSONValue, _ schema: JSONValue, at location: String, place: String = "") -> [Fault] {
    guard let keywords = schema.object else { return [Fault(place: place, text: "\(location) is no schema")] }
    return keywords.sorted { $0.key < $1.key }.flatMap { keyword, argument -> [Fault] in
      switch keyword {
      case "$ref": reference(value, argument, place: place)
      case "properties": properties(value, argument, at: location, place: place)
      case "items": items(value, argument, at: location, place: place)
      case "not": exclusion(value, argument, at: location, place: place)
      case "anyOf", "oneOf": alternatives(value, keyword, argument, at: location, place: place)
      case "additionalProperties": additional(value, argument, schema, at: location, place: place)
      case "propertyNames":
        (value.object ?? [:]).keys.sorted().flatMap { faults(.string($0), argument, at: location, place: place + "/" + $0) }
      // What the service answers is in the list, which readers may not rely on.
      case "enum", "x-extensible-enum": choice(value, argument, at: location, place: place)
      case _ where Self.annotations.contains(keyword): []
      default: Self.assertion(keyword, argument, value).map { [Fault(place: place, text: $0)] } ?? []
      }
    }
  }

  private mutating func reference(_ value: JSONValue, _ argument: JSONValue, place: String) -> [Fault] {
    let pointer = argument.string ?? ""
    guard pointer.hasPrefix("#/"), let target = referent(pointer) else {
      return [Fault(place: place, text: "\(pointer) leads nowhere")]
    }
    return faults(value, target, at: pointer, place: place)
  }

  private mutating func properties(_ value: JSONValue, _ argument: JSONValue, at location: String, place: String) -> [Fault] {
    guard let members = value.object else { return [] }
    return members.sorted { $0.key < $1.key }.flatMap { name, member -> [Fault] in
      let inner = "\(place)/\(name)"
      guard let schema = argument[name] else { return [Fault(place: inner, text: "is not in the document")] }
      let location = "\(location)/properties/\(name)"
      seen[location, default: []].insert(member == .null ? "null" : "value")
      return faults(member, schema, at: location, place: inner)
    }
  }

  private mutating func choice(_ value: JSONValue, _ argument: JSONValue, at location: String, place: String) -> [Fault] {
    guard argument.array?.contains(value) == true else { return [Fault(place: place, text: "is none of \(argument.text)")] }
    chosen[location, default: []].insert(value)
    return []
  }

  private mutating func items(_ value: JSONValue, _ argument: JSONValue, at location: String, place: String) -> [Fault] {
    (value.array ?? []).enumerated().flatMap { index, item in
      faults(item, argument, at: "\(location)/items", place: "\(place)/\(index)")
    }
  }

  private func exclusion(_ value: JSONValue, _ argument: JSONValue, at location: String, place: String) -> [Fault] {
    var other = self
    return other.faults(value, argument, at: location, place: place).isEmpty
      ? [Fault(place: place, text: "is excluded by \(argument.text)")] : []
  }

  /// What a reference leads to.
  private func referent(_ pointer: String) -> JSONValue? {
    pointer.split(separator: "/").dropFirst().reduce(root as JSONValue?) { $0?[String($1)] }
  }

  /// Whether a constant member of an alternative, such as the kind of an event, differs. The common case of a schema with
  /// many alternatives, each of which would otherwise be evaluated and copy what was seen.
  private func contradicts(_ value: JSONValue, _ schema: JSONValue) -> Bool {
    let resolved = schema["$ref"]?.string.flatMap(referent) ?? schema
    return (resolved["properties"]?.object ?? [:]).contains { name, property in
      property["const"].map { value[name] != nil && value[name] != $0 } ?? false
    }
  }

  /// What the branches that do not fit have seen does not count.
  private mutating func alternatives(
    _ value: JSONValue, _ keyword: String, _ argument: JSONValue, at location: String, place: String
  ) -> [Fault] {
    var (fitting, found): ([JSONSchema], [Fault]) = ([], [])
    for (index, schema) in (argument.array ?? []).enumerated() where !contradicts(value, schema) {
      var branch = self
      let faults = branch.faults(value, schema, at: "\(location)/\(keyword)/\(index)", place: place)
      if faults.isEmpty { fitting.append(branch) } else { found += faults }
    }
    guard let first = fitting.first, keyword == "anyOf" || fitting.count == 1 else {
      return [Fault(place: place, text: "fits \(fitting.count) branches of \(keyword)")] + found
    }
    (seen, chosen) = (first.seen, first.chosen)
    return []
  }

  /// An object whose schema lists properties is complete in any case, so only free objects remain.
  private mutating func additional(
    _ value: JSONValue, _ argument: JSONValue, _ schema: JSONValue, at location: String, place: String
  ) -> [Fault] {
    guard argument == .bool(true) || argument == .bool(false) else {
      return (value.object ?? [:]).sorted { $0.key < $1.key }.flatMap { name, member in
        faults(member, argument, at: "\(location)/additionalProperties", place: "\(place)/\(name)")
      }
    }
    guard argument == .bool(false), schema["properties"] == nil, value.object?.isEmpty == false else { return [] }
    return [Fault(place: place, text: "has members")]
  }

  /// Keywords that look at the value alone.
  private static func assertion(_ keyword: String, _ argument: JSONValue, _ value: JSONValue) -> String? {
    switch (keyword, value) {
    case ("type", _):
      let wanted = argument.string.map { [$0] } ?? argument.strings
      return wanted.contains { isOf(type: $0, value) } ? nil : "is not of type \(wanted.joined(separator: " or "))"
    case ("const", _): return argument == value ? nil : "is not \(argument.text)"
    case ("required", .object(let members)):
      let missing = argument.strings.filter { members[$0] == nil }
      return missing.isEmpty ? nil : "lacks \(missing.joined(separator: ", "))"
    case ("minimum", .number(let number)): return number >= argument.number ?? .infinity ? nil : "is too small"
    case ("maximum", .number(let number)): return number <= argument.number ?? -.infinity ? nil : "is too large"
    case ("minLength", .string(let text)):
      return Double(text.unicodeScalars.count) >= argument.number ?? .infinity ? nil : "is too short"
    case ("maxProperties", .object(let members)):
      return Double(members.count) > argument.number ?? 0 ? "has too many members" : nil
    case ("minItems", .array(let items)):
      return Double(items.count) < argument.number ?? .infinity ? "has too few items" : nil
    case ("maxItems", .array(let items)):
      return Double(items.count) > argument.number ?? 0 ? "has too many items" : nil
    case ("maxLength", .string(let text)):
      return Double(text.unicodeScalars.count) <= argument.number ?? -.infinity ? nil : "is too long"
    case ("pattern", .string(let text)): return matches(text, argument.string) ? nil : "does not match \(argument.text)"
    case ("format", .string(let text)): return matches(text, formats[argument.string ?? ""]) ? nil : "is no \(argument.text)"
    case ("format", .number): return argument == .string("int64") ? nil : "is a number, and \(argument.text) is for texts"
    case ("required", _), ("minimum", _), ("maximum", _), ("minLength", _), ("maxLength", _), ("minItems", _), ("maxItems", _),
      ("maxProperties", _), ("pattern", _),
      ("format", _):
      return nil
    default: return "the checker does not know the keyword \(keyword)"
    }
  }

  private static func isOf(type: String, _ value: JSONValue) -> Bool {
    switch (type, value) {
    case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array), ("object", .object), ("number", .number):
      true
    case ("integer", .number(let number)): number == number.rounded()
    default: false
    }
  }

  private static func matches(_ text: String, _ pattern: String?) -> Bool {
    pattern.map { text.range(of: $0, options: .regularExpression) != nil } ?? false
  }
}
