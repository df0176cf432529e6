import PCMCore

/// The members of inner dictionaries that a device reads only at another place, the members of dictionaries that are named for a
/// framework, and the rules outside of `AdAttributionKitConfigurations`.
struct NestedKeys {
  private(set) var keys: [NestedKey] = []

  struct NestedKey {
    /// The key of the outermost dictionary.
    let container: String
    let place: String
    let name: String
    /// The key that it means; nil if it only is in a dictionary that is named for a framework.
    let key: AttributionKey?
    /// The framework for which the dictionary is named that contains the key; nil for another dictionary.
    let framework: AdFramework?
  }

  /// - Parameter skipped: Whether a key of the outermost dictionary has its own review.
  init(in root: [String: PropertyListValue], skipping skipped: (String) -> Bool) {
    for (name, value) in root where !skipped(name) {
      let rule = Self.rule(name, value, isLikely: true)
      if rule != nil { add(name, at: [name], rule, nil) }
      visit(value, at: [name], KeyCatalog.framework(named: name), isInRule: rule != nil)
    }
    keys.sort { $0.place.utf8.lexicographicallyPrecedes($1.place.utf8) }
  }

  /// - Parameter isInRule: Whether a dictionary around the value is a rule, with which the rules inside of it move.
  private mutating func visit(_ value: PropertyListValue, at path: [String], _ framework: AdFramework?, isInRule: Bool) {
    switch value {
    case .string, .integer, .real, .boolean, .other: return
    case .array(let elements):
      for (index, element) in elements.enumerated() { visit(element, at: path + ["[\(index)]"], nil, isInRule: isInRule) }
    case .dictionary(let members):
      for (name, value) in members {
        let found =
          Self.key(name, in: path.last ?? "", framework)
          ?? Self.rule(name, value, isLikely: framework == .adattributionkit)
        let key = isInRule && found?.isTopLevel == false ? nil : found
        if framework != nil || key != nil { add(name, at: path + [name], key, framework) }
        visit(value, at: path + [name], nil, isInRule: isInRule || key?.isTopLevel == false)
      }
    }
  }

  private mutating func add(_ name: String, at path: [String], _ key: AttributionKey?, _ framework: AdFramework?) {
    keys.append(NestedKey(container: path[0], place: Self.place(path), name: name, key: key, framework: framework))
  }

  private static func rule(_ name: String, _ value: PropertyListValue, isLikely: Bool) -> AttributionKey? {
    guard name.utf8.count <= 80 else { return nil }
    switch value {
    case .dictionary(let members): return Rule.key(named: name, members: Array(members.keys), isLikely: isLikely)
    case .integer, .real, .boolean: return Rule.key(named: name, members: nil, isLikely: isLikely)
    case .array, .string, .other: return nil
    }
  }

  private static func place(_ path: [String]) -> String {
    path.reduce(into: "") { text, part in
      let shown = part.withoutByteOrderMark.asShown
      text += part.hasPrefix("[") || text.isEmpty ? shown : "/\(shown)"
    }
  }

  /// Returns the key that a name means, alone or after the name of its dictionary: `NSAdvertisingAttribution` with the member
  /// `ReportEndpoint`.
  private static func key(_ name: String, in parent: String, _ framework: AdFramework?) -> AttributionKey? {
    guard name.utf8.count <= 80 else { return nil }
    return KeyCatalog.key(named: name) ?? (parent.utf8.count <= 80 ? KeyCatalog.key(named: parent + name) : nil)
      ?? framework.flatMap { KeyCatalog.key(resembling: name, isInside: $0) }
  }

  /// Adds the findings about the keys, and returns the parts of the app that they intend.
  ///
  /// - Parameter isExplained: Whether a key of the outermost dictionary is itself misspelled.
  func add(to groups: inout FindingGroups, unless isExplained: (String) -> Bool) -> Set<Participation> {
    var intended: Set<Participation> = []
    for nested in keys where !isExplained(nested.container) {
      let key = nested.key
      intended.formUnion(key?.participations ?? [])
      groups.participations =
        key?.participations ?? [nested.framework == .skadnetwork ? .skAdNetworkPublisher : .adAttributionKitAdvertiser]
      switch (nested.framework, key) {
      case (nil, nil): break
      case (nil, let key?):
        groups.add(
          .keyMisplaced, at: nested.place,
          "devices ignore this key here. \(key.isTopLevel ? "Move \(key.path) to the top level" : "Move it to \(key.path)").")
      case (_?, let key?):
        groups.add(
          .adAttributionKitDictionary, at: nested.place,
          "Apple documents no such dictionary, and devices ignore it. Write the value as \(key.path), "
            + "\(key.isTopLevel ? "outside of a dictionary" : "with the dictionaries in this path").", severity: .error)
      case (_?, nil):
        groups.add(
          .adAttributionKitDictionary, at: nested.place,
          "Apple documents no such key and no such dictionary, and devices ignore them. Remove the key.")
      }
    }
    return intended
  }
}
