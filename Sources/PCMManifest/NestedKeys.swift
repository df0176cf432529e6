import PCMCore

/// The members of inner dictionaries that a device reads only at another place, the members of dictionaries that are named for a
/// framework, and the rules outside of `AdAttributionKitConfigurations`.
struct NestedKeys {
  private(set) var keys: [NestedKey] = []

  init() {}

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

  /// The parts of a value of any kind of property list.
  enum Parts<Value> {
    case members([(name: String, value: Value)])
    case elements([Value])
    /// Also a Boolean value.
    case number
    case none
  }

  /// - Parameters:
  ///   - skipped: Whether a key of the outermost dictionary has its own review.
  ///   - parts: Returns the members or elements of a value.
  init<Value>(in root: Value, skipping skipped: (String) -> Bool, parts: (Value) -> Parts<Value>) {
    guard case .members(let members) = parts(root) else { return }
    for (name, value) in members where !skipped(name) {
      let rule = Self.rule(name, parts(value), isLikely: true)
      if rule != nil { add(name, at: [name], rule, nil) }
      visit(value, at: [name], KeyCatalog.framework(named: name), isInRule: rule != nil, parts)
    }
    keys.sort { $0.place.utf8.lexicographicallyPrecedes($1.place.utf8) }
  }

  /// - Parameter isInRule: Whether a dictionary around the value is a rule, with which the rules inside of it move.
  private mutating func visit<Value>(
    _ value: Value, at path: [String], _ framework: AdFramework?, isInRule: Bool, _ parts: (Value) -> Parts<Value>
  ) {
    switch parts(value) {
    case .none, .number: return
    case .elements(let elements):
      for (index, element) in elements.enumerated() {
        visit(element, at: path + ["[\(index)]"], nil, isInRule: isInRule, parts)
      }
    case .members(let members):
      for (name, value) in members {
        let found =
          Self.key(name, in: path.last ?? "", framework)
          ?? Self.rule(name, parts(value), isLikely: framework == .adattributionkit)
        let key = isInRule && found?.isTopLevel == false ? nil : found
        if framework != nil || key != nil { add(name, at: path + [name], key, framework) }
        visit(value, at: path + [name], nil, isInRule: isInRule || key?.isTopLevel == false, parts)
      }
    }
  }

  private mutating func add(_ name: String, at path: [String], _ key: AttributionKey?, _ framework: AdFramework?) {
    keys.append(NestedKey(container: path[0], place: Self.place(path), name: name, key: key, framework: framework))
  }

  private static func rule<Value>(_ name: String, _ parts: Parts<Value>, isLikely: Bool) -> AttributionKey? {
    guard name.utf8.count <= 80 else { return nil }
    switch parts {
    case .members(let members): return Rule.key(named: name, members: members.map(\.name), isLikely: isLikely)
    case .number: return Rule.key(named: name, members: nil, isLikely: isLikely)
    case .elements, .none: return nil
    }
  }

  private static func place(_ path: [String]) -> String {
    path.reduce(into: "") { text, part in
      // Foundation drops a mark at the beginning of the keys that it reads.
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
