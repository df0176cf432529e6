import HeapModule
import PCMCore
import PCMStore

/// The attributions of a simulated user whose reports wait, by session and key.
struct PendingAttributions {
  private var normal = KeyedList<Attribution>()
  private var privateBrowsing = KeyedList<Attribution>()
  /// The times of the next reports of many attributions, and times that have changed since.
  private var times = Heap<DueTime>()

  private static let sessions = SessionKind.allCases

  var isEmpty: Bool { normal.isEmpty && privateBrowsing.isEmpty }
  private var isLong: Bool { normal.isLong || privateBrowsing.isLong }

  subscript(session: SessionKind) -> KeyedList<Attribution> {
    get { session == .normal ? normal : privateBrowsing }
    _modify {
      if session == .normal { yield &normal } else { yield &privateBrowsing }
    }
  }

  func attribution(_ key: ClickKey, in session: SessionKind) -> Attribution? {
    session == .normal ? normal[key] : privateBrowsing[key]
  }

  /// Adds or replaces the attribution with the same key. An attribution without a waiting report is removed.
  mutating func save(_ attribution: Attribution, in session: SessionKind) {
    guard let time = DueTime(attribution, in: session) else {
      self[session].remove(attribution.key)
      return
    }
    let wasLong = isLong
    if !self[session].replace(attribution) { self[session].append(attribution) }
    if wasLong, isLong { times.insert(time) } else if isLong { times = Heap(allTimes) }
  }

  private var allTimes: [DueTime] {
    Self.sessions.flatMap { session in self[session].values.compactMap { DueTime($0, in: session) } }
  }

  /// Returns the two attributions with the earliest times.
  mutating func earliest() -> (first: Attribution?, second: Attribution?) {
    guard isLong else { return findEarliest() }
    let (first, second) = popEarliest()
    return (first.flatMap(attribution), second.flatMap(attribution))
  }

  /// Returns the two earliest attributions of short lists. The search copies no other.
  private func findEarliest() -> (first: Attribution?, second: Attribution?) {
    var (first, second): (ShortListPlace?, ShortListPlace?) = (nil, nil)
    func find(_ attributions: KeyedList<Attribution>, in session: SessionKind) {
      for index in attributions.slots.indices {
        guard let dueAt = attributions.slots[index]?.next?.half.dueAt, let id = attributions.slots[index]?.id else { continue }
        let place = ShortListPlace(dueAt: dueAt, attribution: id, session: session, index: index)
        if first.map({ place < $0 }) ?? true {
          (first, second) = (place, first)
        } else if second.map({ place < $0 }) ?? true {
          second = place
        }
      }
    }
    find(normal, in: .normal)
    find(privateBrowsing, in: .privateBrowsing)
    return (first.flatMap(attribution), second.flatMap(attribution))
  }

  private func attribution(_ place: ShortListPlace) -> Attribution? {
    place.session == .normal ? normal.slots[place.index] : privateBrowsing.slots[place.index]
  }

  /// Returns the two earliest times, and removes earlier times that have changed since.
  private mutating func popEarliest() -> (DueTime?, DueTime?) {
    let first = popEarliest(besides: nil)
    let second = popEarliest(besides: first)
    for time in [first, second] {
      if let time { times.insert(time) }
    }
    return (first, second)
  }

  private mutating func popEarliest(besides other: DueTime?) -> DueTime? {
    while let time = times.popMin() {
      if time != other, attribution(time) != nil { return time }
    }
    return nil
  }

  /// Returns the attribution that still has the time.
  private func attribution(_ time: DueTime) -> Attribution? {
    attribution(time.key, in: time.session).flatMap { DueTime($0, in: time.session) == time ? $0 : nil }
  }
}

/// Where an attribution of a short list is, and the time of its next report.
private struct ShortListPlace {
  let dueAt: Instant
  let attribution: Int64
  let session: SessionKind
  let index: Int

  /// Attributions with equal times follow their numbers.
  static func < (left: Self, right: Self) -> Bool {
    left.dueAt == right.dueAt ? left.attribution < right.attribution : left.dueAt < right.dueAt
  }
}

/// The time of the next report of an attribution.
private struct DueTime: Comparable {
  let dueAt: Instant
  let attribution: Int64
  let key: ClickKey
  let session: SessionKind

  /// Returns nil for an attribution without a waiting report.
  init?(_ attribution: Attribution, in session: SessionKind) {
    guard let half = attribution.next?.half else { return nil }
    (dueAt, self.attribution, key, self.session) = (half.dueAt, attribution.id, attribution.key, session)
  }

  /// Attributions with equal times follow their numbers.
  static func < (left: Self, right: Self) -> Bool {
    left.dueAt == right.dueAt ? left.attribution < right.attribution : left.dueAt < right.dueAt
  }
}
