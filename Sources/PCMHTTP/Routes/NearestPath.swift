import HTTPTypes
import PCMCore

/// Finds the known path that a caller probably means by an unknown path.
struct NearestPath: Sendable {
  /// A path with its methods.
  struct Match: Hashable, Sendable {
    /// With the given names in place of the parameters, and with the name of a parameter in braces where none was given.
    let path: String
    let methods: [HTTPRequest.Method]
  }

  /// A known path: its parts. A part that begins with a colon is a parameter.
  struct Known: Sendable {
    let parts: [String]
    let methods: [HTTPRequest.Method]
  }

  private let known: [Known]

  /// The maximum cost of a near path, such as the cost of a missing name and two missing parts.
  private static let maximumCost = 6
  private static let maximumParts = 12

  init(_ known: [Known]) {
    self.known = known
  }

  /// Returns the nearest path, preferably with the method; nil when none is near.
  func nearest(to parts: [String], _ method: HTTPRequest.Method) -> Match? {
    guard parts.count <= Self.maximumParts else { return nil }
    let found = known.compactMap { path in
      Alignment(of: parts[...], with: path.parts[...], atMost: Self.maximumCost).map { (path, $0) }
    }
    // The version is in most paths, so a path without another similar part is not near.
    let best = found.filter(\.1.hasSimilarPart).min { one, other in
      let isOther = [one, other].map { $0.0.methods.contains(method) ? 0 : 1 }
      return (one.1.cost, isOther[0]) < (other.1.cost, isOther[1])
    }
    guard let (path, alignment) = best else { return nil }
    let methods = path.methods.contains(method) ? [method] : path.methods.filter { $0 != .head }
    return Match(path: "/" + alignment.parts.joined(separator: "/"), methods: methods)
  }
}

/// The alignment of a given path with a known path: the known parts with the given names, and the cost of the difference.
private struct Alignment {
  private(set) var cost = 0
  private(set) var parts: [String] = []
  /// Whether a part other than the version is similar.
  private(set) var hasSimilarPart = false

  private static let missingName = 3
  private static let missingPart = 2
  private static let excessPart = 5

  private init() {}

  /// Returns nil when the paths differ too much.
  init?(of given: ArraySlice<String>, with known: ArraySlice<String>, atMost limit: Int) {
    guard limit >= 0 else { return nil }
    if given.isEmpty, known.isEmpty {
      self.init()
      return
    }
    let steps = [Self.pairing(given, known, limit), Self.omission(given, known, limit), Self.excess(given, known, limit)]
    guard let best = steps.compactMap({ $0 }).min(by: { $0.cost < $1.cost }) else { return nil }
    self = best
  }

  /// The first parts belong together.
  private static func pairing(_ given: ArraySlice<String>, _ known: ArraySlice<String>, _ limit: Int) -> Alignment? {
    guard let part = given.first, let wanted = known.first, let cost = difference(part, wanted) else { return nil }
    var rest = Alignment(of: given.dropFirst(), with: known.dropFirst(), atMost: limit - cost)
    let isName = wanted.hasPrefix(":")
    rest?.add(cost, isName ? part : wanted, isSimilar: !isName && wanted != "v1")
    return rest
  }

  /// The first known part was not given, nor the name after it.
  private static func omission(_ given: ArraySlice<String>, _ known: ArraySlice<String>, _ limit: Int) -> Alignment? {
    guard let wanted = known.first else { return nil }
    if wanted.hasPrefix(":") {
      var rest = Alignment(of: given, with: known.dropFirst(), atMost: limit - missingName)
      rest?.add(missingName, "{\(wanted.dropFirst())}")
      return rest
    }
    let cost = wanted == "v1" ? 1 : missingPart
    let hasName = known.dropFirst().first?.hasPrefix(":") == true
    var rest =
      hasName
      ? omission(given, known.dropFirst(), limit - cost)
      : Alignment(of: given, with: known.dropFirst(), atMost: limit - cost)
    rest?.add(cost, wanted)
    return rest
  }

  /// The first given part has no known one.
  private static func excess(_ given: ArraySlice<String>, _ known: ArraySlice<String>, _ limit: Int) -> Alignment? {
    guard let part = given.first else { return nil }
    let cost = part.lowercased() == "api" ? 1 : excessPart
    var rest = Alignment(of: given.dropFirst(), with: known, atMost: limit - cost)
    rest?.add(cost)
    return rest
  }

  private mutating func add(_ cost: Int, _ part: String? = nil, isSimilar: Bool = false) {
    self.cost += cost
    if let part { parts.insert(part, at: 0) }
    hasSimilarPart = hasSimilarPart || isSimilar
  }

  /// Returns the cost of replacing a given part with a known part, or nil when they have nothing in common.
  private static func difference(_ given: String, _ known: String) -> Int? {
    if known.hasPrefix(":") || given == known { return 0 }
    let (one, other) = (letters(of: given), letters(of: known))
    if one == other { return 1 }
    // A browser is also a device.
    if Set([one, other]) == ["browser", "device"] { return 2 }
    if min(one.count, other.count) >= 4, one.hasPrefix(other) || other.hasPrefix(one) { return 2 }
    let limit = min(one.count, other.count) < 5 ? 1 : 2
    return EditDistance.between(Array(one.utf8), Array(other.utf8), atMost: limit).map { $0 + 2 }
  }

  /// The letters and digits in lower case, without the ending of a plural.
  private static func letters(of part: String) -> String {
    let letters = part.lowercased().filter { $0.isLetter || $0.isNumber }
    return letters.count > 3 && letters.hasSuffix("s") ? String(letters.dropLast()) : letters
  }
}
