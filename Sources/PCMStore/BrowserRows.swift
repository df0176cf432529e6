package import PCMCore

extension BrowserReader {
  /// Returns all apps, ordered by bundle identifier.
  package func apps() throws -> [AppRecord] { try rows(.after("", limit: .max)) }

  /// Returns all simulated sites, ordered by host.
  package func sites() throws -> [SiteRecord] { try rows(.after("", limit: .max)) }

  package func click(_ key: ClickKey, in place: ClickPlace) throws -> KeptClick? {
    try row(ClickRow.self, PlacedKey(place: place.rawValue, key: key))?.click
  }

  /// Returns the clicks after `id`, ordered by number.
  package func clicks(in place: ClickPlace, after id: Int64, limit: Int) throws -> [KeptClick] {
    try rows(ClickRow.Query.after(id, in: place.rawValue.stored, limit: limit)).map(\.click)
  }

  /// Returns the clicks made before an instant, oldest first, then by number.
  package func clicks(in place: ClickPlace, madeBefore instant: Instant) throws -> [KeptClick] {
    try rows(ClickRow.Query.before(instant, in: place.rawValue.stored)).map(\.click)
  }

  /// Returns the clicks with this source or destination, ordered by number.
  package func clicks(in place: ClickPlace, naming site: Site) throws -> [KeptClick] {
    try rows(ClickRow.Query.naming(site, in: place.rawValue.stored)).map(\.click)
  }

  /// Returns a click of the table from this source, of any app, for the reason when nothing matches. It prefers a click to
  /// this destination.
  package func nearestClick(source: Site, destination: Site) throws -> KeptClick? {
    /// Returns the first click whose destination is not before the given one.
    func first(from destination: Site) throws -> KeptClick? {
      let key = ClickKey(source: source, destination: destination, bundleIdentifier: "")
      let found = try rows(ClickRow.Query.from(PlacedKey(place: ClickPlace.table.rawValue, key: key))).first
      return found?.place == .table && found?.click.click.key.source == source ? found?.click : nil
    }
    let exact = try first(from: destination)
    return exact?.click.key.destination == destination ? exact : try first(from: Site(""))
  }

  package func attribution(_ key: ClickKey, in session: SessionKind) throws -> Attribution? {
    try row(AttributionRow.self, PlacedKey(place: session.rawValue, key: key))?.attribution
  }

  /// Returns the attributions after `id`, ordered by number.
  package func attributions(in session: SessionKind, after id: Int64, limit: Int) throws -> [Attribution] {
    try rows(AttributionRow.Query.after(id, in: session.rawValue.stored, limit: limit)).map(\.attribution)
  }

  /// Returns the attributions with this source or destination, ordered by number.
  package func attributions(in session: SessionKind, naming site: Site) throws -> [Attribution] {
    try rows(AttributionRow.Query.naming(site, in: session.rawValue.stored)).map(\.attribution)
  }

  /// Returns the attributions of both sessions by their earliest remaining time, then by number.
  package func earliestAttributions(limit: Int) throws -> [Attribution] {
    try rows(AttributionRow.Query.earliest(limit: limit)).map(\.attribution)
  }

  /// Returns the reports after `id`, ordered by number, in one state or in all states.
  package func reports(in state: Report.State?, after id: Int64, limit: Int) throws -> [Report] {
    try rows(.after(id, in: state?.rawValue.stored, limit: limit))
  }

  /// Returns the reports in the state `scheduled`, ordered by number: reports with this source or destination, or all when
  /// `site` is nil.
  package func scheduledReports(naming site: Site?) throws -> [Report] {
    guard let site else { return try reports(in: .scheduled, after: .min, limit: .max) }
    return try rows(.naming(site, in: Report.State.scheduled.rawValue.stored))
  }

  /// Returns the rows of a kind whose names follow `name`, ordered by the bytes of the name.
  package func deviceRows(_ kind: DeviceRow.Kind, after name: String, limit: Int) throws -> [DeviceRow] {
    try rows(.after(DeviceRow.Key(kind, name), in: kind.rawValue.stored, limit: limit))
  }

  /// Returns the postbacks after `id`, ordered by number, in one state or in all states.
  package func postbacks(in state: Postback.State?, after id: Int64, limit: Int) throws -> [Postback] {
    try rows(.after(id, in: state?.rawValue.stored, limit: limit))
  }
}

extension BrowserWriter {
  /// Adds a click, or replaces the click with the same key in the same place.
  package func save(_ click: KeptClick, in place: ClickPlace) throws { try save(ClickRow(click, in: place)) }

  package func removeClick(_ key: ClickKey, in place: ClickPlace) throws {
    try remove(ClickRow.self, PlacedKey(place: place.rawValue, key: key))
  }

  /// Removes all clicks of a place, and returns their number.
  package func removeAllClicks(in place: ClickPlace) throws -> Int {
    try removeAll(ClickRow.self, in: place.rawValue.stored)
  }

  /// Adds an attribution, or replaces the attribution with the same key in the same session. An attribution without a remaining half
  /// is removed.
  package func save(_ attribution: Attribution, in session: SessionKind) throws {
    let row = AttributionRow(attribution, in: session)
    try row.requireStorableTimes()
    if attribution.next == nil { try remove(AttributionRow.self, row.rowKey) } else { try save(row) }
  }

  package func removeAttribution(_ key: ClickKey, in session: SessionKind) throws {
    try remove(AttributionRow.self, PlacedKey(place: session.rawValue, key: key))
  }

  /// Removes all attributions of a session, and returns their number.
  package func removeAllAttributions(in session: SessionKind) throws -> Int {
    try removeAll(AttributionRow.self, in: session.rawValue.stored)
  }
}
