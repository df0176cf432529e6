/// Collects findings about values at many places. Those with the same problem and remedy become one finding that names some
/// of the places, so that a manifest with many mistakes has few findings.
struct FindingGroups {
  private struct Group {
    let code: ManifestFinding.Code
    let remedy: String
    var places: [String] = []
    var count = 0
  }

  private static let namedLimit = 3
  private var groups: [Group] = []

  /// - Parameters:
  ///   - place: The key, and what is wrong with its value if that differs between places.
  ///   - remedy: The problem and the remedy, as the rest of a sentence that begins with the places.
  mutating func add(_ code: ManifestFinding.Code, at place: @autoclosure () -> String, _ remedy: String) {
    let existing = groups.firstIndex { $0.code == code && $0.remedy == remedy }
    let index = existing ?? groups.count
    if existing == nil { groups.append(Group(code: code, remedy: remedy)) }
    groups[index].count += 1
    if groups[index].count <= Self.namedLimit { groups[index].places.append(place()) }
  }

  var findings: [ManifestFinding] {
    groups.map { group in
      let more = group.count - group.places.count
      let places = group.places.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
      return ManifestFinding(group.code, "\(places): \(group.remedy)")
    }
  }
}

extension FindingGroups {
  /// Returns the members of a dictionary, and finds members that devices do not know. A value of another type has none.
  ///
  /// - Parameters:
  ///   - names: The known members; nil when any name is possible.
  ///   - undocumented: A further member, which findings do not recommend.
  mutating func members(
    of value: PropertyListValue?, at place: String, known names: [String]?, undocumented: String? = nil
  ) -> [String: PropertyListValue] {
    guard let value else { return [:] }
    guard case .dictionary(let members) = value else {
      addWrongType(at: place, expected: "a dictionary")
      return [:]
    }
    guard let names else { return members }
    for name in members.keys.sorted() where !names.contains(name) && name != undocumented {
      add(
        .unknownMember, at: "\(place)/\(name.asShown)",
        "devices ignore this key. Expected: \(names.joined(separator: ", ")). Rename or remove it.")
    }
    return members
  }

  /// Returns an integer in a range, and finds any other value.
  ///
  /// - Parameter unit: The meaning of the number, as in `days after a click`.
  mutating func integer(
    _ value: PropertyListValue?, at place: String, in range: ClosedRange<Int>, unit: String, _ code: ManifestFinding.Code
  ) -> Int? {
    guard let value else { return nil }
    guard case .integer(let number) = value else {
      addWrongType(at: place, expected: "an integer")
      return nil
    }
    guard range.contains(number) else {
      add(
        code, at: "\(place) is \(number)",
        "the range is \(range.lowerBound) to \(range.upperBound) \(unit), and the value is ignored. Write a number in this range."
      )
      return nil
    }
    return number
  }

  /// Returns a Boolean value, and finds any other value.
  mutating func boolean(_ value: PropertyListValue?, at place: String) -> Bool? {
    guard let value else { return nil }
    if case .boolean(let isOn) = value { return isOn }
    addWrongType(at: place, expected: "a Boolean value")
    return nil
  }

  mutating func addWrongType(at place: @autoclosure () -> String, expected: String) {
    add(.wrongType, at: place(), "the value is ignored because it is not \(expected). Change its type.")
  }
}
