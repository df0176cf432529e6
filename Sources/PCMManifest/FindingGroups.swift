import PCMCore

/// Collects findings about values at many places. Findings with the same problem and remedy become one, with some
/// of their places, so that a manifest with many mistakes has few findings.
struct FindingGroups {
  private struct Group {
    let code: ManifestFinding.Code
    let remedy: String
    let severity: ManifestFinding.Severity?
    var participations: Set<Participation> = []
    var places: [String] = []
    var count = 0
  }

  private static let namedLimit = 3
  private var groups: [Group] = []
  /// The parts of the app that the next findings concern.
  var participations: Set<Participation> = []

  /// - Parameters:
  ///   - place: The key, and the fault of its value if it differs between places.
  ///   - remedy: The problem and the remedy, as the rest of a sentence that begins with the places.
  ///   - severity: The severity, if it is not the usual one of the code.
  mutating func add(
    _ code: ManifestFinding.Code, at place: @autoclosure () -> String, _ remedy: String,
    severity: ManifestFinding.Severity? = nil
  ) {
    let existing = groups.firstIndex { $0.code == code && $0.remedy == remedy }
    let index = existing ?? groups.count
    if existing == nil { groups.append(Group(code: code, remedy: remedy, severity: severity)) }
    groups[index].count += 1
    groups[index].participations.formUnion(participations)
    if groups[index].count <= Self.namedLimit { groups[index].places.append(place()) }
  }

  var findings: [ManifestFinding] {
    groups.map { group in
      let more = group.count - group.places.count
      let places = group.places.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
      return ManifestFinding(
        group.code, "\(places): \(group.remedy)", severity: group.severity, about: group.participations)
    }
  }
}

extension FindingGroups {
  /// Returns the members of a dictionary, and finds members that devices do not know. A value of another type has none.
  ///
  /// - Parameters:
  ///   - names: The known members; nil when any name is possible.
  ///   - undocumented: A further member, which findings do not recommend.
  ///   - elsewhere: The members that devices read at another place, with the direction: `to` that place.
  mutating func members(
    of value: PropertyListValue?, at place: String, known names: [String]?, undocumented: String? = nil,
    elsewhere: [String: String] = [:]
  ) -> [String: PropertyListValue] {
    guard let value else { return [:] }
    guard case .dictionary(let members) = value else {
      addWrongType(at: place, expected: "a dictionary")
      return [:]
    }
    for name in members.keys.sorted() {
      if let target = elsewhere[name] {
        add(.keyMisplaced, at: "\(place)/\(name.asShown)", "devices ignore this key here. Move it \(target).")
      } else if let names, names.contains(name.withoutPadding), let padding = name.padding {
        add(.unknownMember, at: "\(place)/\(name.asShown)", "the key \(padding), so devices ignore it. Remove the white space.")
      } else if let names, !names.contains(name), name != undocumented {
        let near = names.filter { Self.resembles(name, $0) }
        add(
          .unknownMember, at: "\(place)/\(name.asShown)",
          "devices ignore this key. Expected: \((near.isEmpty ? names : near).joined(separator: ", ")). Rename or remove it.")
      }
    }
    return members.filter { elsewhere[$0.key] == nil }
  }

  /// Whether a name is a prefix of a known name, or differs from it in at most a quarter of its letters.
  private static func resembles(_ name: String, _ known: String) -> Bool {
    guard name.utf8.count >= 3, name.utf8.count <= 80 else { return false }
    let (one, other) = (KeyCatalog.letters(of: name), KeyCatalog.letters(of: known))
    return other.starts(with: one) || EditDistance.between(one, other, atMost: max(1, other.count / 4)) != nil
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

  mutating func addWrongType(
    at place: @autoclosure () -> String, expected: String, severity: ManifestFinding.Severity? = nil
  ) {
    add(.wrongType, at: place(), "the value is ignored because it is not \(expected). Change its type.", severity: severity)
  }
}
