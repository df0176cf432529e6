import PCMCore
import PCMScenario

extension SimulationProfile {
  /// Whether the first line of a file of CSV names the columns, even if it does not name a user and a time.
  var needsHeader: Bool {
    ignoresOthers
      || origins.values.contains { origin in
        if case .encoding(let encoding) = origin { !EventColumns.standard.names.contains(encoding.from) } else { false }
      }
  }

  /// Returns the columns of a file.
  ///
  /// - Parameters:
  ///   - events: The name of the file in errors.
  ///   - header: The names of the columns in the file; nil for JSON lines, in which any member may be absent.
  func columns(of events: String, line: Int64 = 1, header: [String]? = nil) throws(StartError) -> EventColumns {
    try ColumnResolution(profile: self, events: events, line: line, header: header).columns()
  }
}

/// The search for a profile's columns in a file.
private struct ColumnResolution {
  private let profile: SimulationProfile
  /// The beginning of an error in the header.
  private let place: String
  private let events: String
  private let names: [String]
  /// The names of the file that the profile gives to columns.
  private let claimed: Set<String>

  init(profile: SimulationProfile, events: String, line: Int64, header: [String]?) {
    (self.profile, self.events, place) = (profile, events, "\(events):\(line)")
    var (claimed, encoded): (Set<String>, Set<String>) = ([], [])
    for origin in profile.origins.values {
      switch origin {
      case .file(let name, _): claimed.insert(name)
      case .encoding(let encoding): encoded.insert(encoding.from)
      case .value: break
      }
    }
    self.claimed = claimed
    names = header ?? EventColumns.all.names + claimed.union(encoded).subtracting(EventColumns.all.names).sorted()
  }

  func columns() throws(StartError) -> EventColumns {
    if !profile.ignoresOthers { try rejectUnknown() }
    let (user, time) = (try index(of: "user"), try index(of: "time"))
    guard let kind = try slot(of: "kind") else {
      throw StartError(
        description: "\(place): kind: the column is missing; name it in the profile's columns, or give it a value, such as "
          + "kind: {value: click}; the columns are \(list)")
    }
    var slots: [(column: String, slot: ProfiledColumns.Slot)] = []
    for column in EventColumns.all.names where !["user", "time", "kind"].contains(column) {
      if let slot = try slot(of: column) { slots.append((column, slot)) }
    }
    return EventColumns(
      names, user: user, time: time, kind: -1,
      profile: ProfiledColumns(
        slots: slots, kind: kind, kinds: profile.kinds, names: differingNames, ignoresOthers: profile.ignoresOthers))
  }

  private func rejectUnknown() throws(StartError) {
    let encoded = profile.origins.values.compactMap { if case .encoding(let encoding) = $0 { encoding.from } else { nil } }
    for name in names where !EventColumns.all.names.contains(name) && !encoded.contains(name) {
      throw StartError(
        description: "\(place): \(EventError.unknown(name).text); a profile with columns ignores other columns of the file")
    }
  }

  private func index(of column: String) throws(StartError) -> Int {
    if case .cell(let index)? = try slot(of: column) { return index }
    throw StartError(
      description: "\(place): \(column): the column is missing; name it in the profile's columns, such as \(column): NAME; "
        + "the columns are \(list)")
  }

  /// Returns the origin of a column; nil if the file has none.
  private func slot(of column: String) throws(StartError) -> ProfiledColumns.Slot? {
    switch profile.origins[column] {
    case .file(let name, let place): .cell(try index(ofName: name, at: place))
    case .value(let text): .constant(Array(text.utf8))
    case .encoding(let encoding): .encoded(encoding, from: try index(ofName: encoding.from, at: encoding.place))
    case nil: names.contains(column) && !claimed.contains(column) ? .cell(try index(ofName: column, at: nil)) : nil
    }
  }

  /// - Parameter place: The place of the name in the profile; nil for a column with its own name.
  private func index(ofName name: String, at place: SourcePlace?) throws(StartError) -> Int {
    guard let index = names.firstIndex(of: name) else {
      let hint = NearestName.hint(for: name, among: names)
      throw profile.error(
        "expected a column of \(events), found \(name.quoted)\(hint.isEmpty ? "; the columns are \(list)" : hint)",
        at: place ?? SourcePlace(line: 1, column: 1))
    }
    guard names.lastIndex(of: name) == index else {
      throw StartError(description: "\(self.place): \(name): the column is given twice")
    }
    return index
  }

  /// The names of the columns for people.
  private var list: String { names.prefix(20).map(\.visible).joined(separator: ", ") + (names.count > 20 ? ", …" : "") }

  /// How errors name the columns that do not have their own name in the file.
  private var differingNames: [String: String] {
    profile.origins.reduce(into: [:]) { names, origin in
      switch origin.value {
      case .file(let name, _) where name == origin.key: break
      case .file(let name, _): names[origin.key] = "\(name) (\(origin.key))"
      case .value: names[origin.key] = "\(origin.key) of the profile"
      case .encoding: break
      }
    }
  }
}
