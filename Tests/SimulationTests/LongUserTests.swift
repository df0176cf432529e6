import PCMCore
import PCMURL
import Testing

@testable import PCMBrowser

/// Users with many pairs of sites at a time.
@Suite struct LongUserTests {
  private static let sites = SiteParser(publicSuffixList: .builtIn())
  private static let start = Instant(milliseconds: 1_795_168_800_000)

  private static func click(_ source: Int, _ destination: Int) throws -> SimulatedAction {
    try SimulatedAction(
      LinkClickInput(
        pageURL: "https://news\(source).example/", attributionSourceID: "7",
        attributionDestination: "https://shop\(destination).example"), sites: sites)
  }

  private static func trigger(_ source: Int, _ destination: Int, priority: Int) throws -> SimulatedAction {
    try SimulatedAction(
      TriggeringEventInput(
        firstPartyURL: "https://shop\(destination).example/", pixelOf: "news\(source).example", triggerData: 3,
        priority: priority), sites: sites)
  }

  /// Five times two clicks of each pair, and then three triggering events. Only the first two of these change an attribution. After the
  /// first clicks, there is an event to a destination without a click for each of them.
  @Test func aUserOfOneHundredThousandEventsLosesWhatManyUsersLose() throws {
    let pairs = (0..<40).flatMap { source in (0..<100).map { (source, $0) } }
    let clicks = try pairs.map { try Self.click($0.0, $0.1) }
    let triggers = try (1...2).map { priority in try pairs.map { try Self.trigger($0.0, $0.1, priority: priority) } }
    let others = try (0..<40).map { try Self.trigger($0, 100, priority: 1) }
    var user = SimulatedUser(seed: "1", at: Self.start)
    var line: Int64 = 0
    func perform(_ action: SimulatedAction) {
      line += 1
      user.perform(action, line: line, at: Self.start + Interval(milliseconds: 50 * line))
    }
    for cycle in 0..<5 {
      clicks.forEach(perform)
      if cycle == 0 { for number in pairs.indices { perform(others[number % 40]) } }
      for round in [clicks, triggers[0], triggers[1], triggers[0]] { round.forEach(perform) }
    }
    user.finish()
    #expect(line == 104_000)
    #expect(user.reports.count == 2 * pairs.count)
    #expect(Set(user.reports.map { [$0.click, $0.trigger] }).count == pairs.count)
    let counts = Dictionary(user.losses.map { ("\($0.subject) \($0.reason)", 1) }, uniquingKeysWith: +)
    #expect(
      counts == [
        "trigger other-destination": 4_000, "click click-replaced": 20_000, "click lower-or-equal-priority": 16_000,
        "trigger superseded": 4_000, "trigger lower-or-equal-priority": 52_000,
      ])
  }

  @Test func manyClicksExpireAtOnce() throws {
    var user = SimulatedUser(seed: "1", at: Self.start)
    for number in 0..<1_000 {
      user.perform(try Self.click(number / 100, number % 100), line: Int64(number + 1), at: Self.start)
    }
    user.perform(try Self.click(0, 0), line: 1_001, at: Self.start + .days(8))
    #expect(user.losses.count == 1_000)
    #expect(Set(user.losses.map(\.reason)) == ["click-expired"])
  }

  /// Keys of 20 sources and 10 destinations, with few apps.
  private static func key(_ random: inout SplitMix64) -> ClickKey {
    ClickKey(
      source: Site("news\(random.below(20)).example"), destination: Site("shop\(random.below(10)).example"),
      bundleIdentifier: "app\(random.below(2))")
  }

  private static func kept(_ key: ClickKey, _ id: Int64) -> KeptClick {
    KeptClick(id: id, click: Click(key: key, sourceID: 7, clickedAt: start + .seconds(id)))
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func aListIsAnArrayWithDistinctKeys(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (list, model) = (KeyedList<KeptClick>(), [KeptClick]())
    for number in 1...2_000 as ClosedRange<Int64> {
      let key = Self.key(&random)
      // The list grows to many values and shrinks to few.
      if random.chance(number / 400 % 2 == 0 ? 1 : 4, in: 5) {
        let removed = list.remove(key)
        #expect(removed == model.first { $0.click.key == key })
        model.removeAll { $0.click.key == key }
      } else if let index = model.firstIndex(where: { $0.click.key == key }) {
        let value = Self.kept(key, model[index].id)
        let isReplaced = list.replace(value)
        #expect(isReplaced)
        model[index] = value
      } else {
        let value = Self.kept(key, random.chance(1, in: 4) ? 10 * number - Int64(random.below(500)) : 10 * number)
        list.insert(value)
        model.insert(value, at: (model.lastIndex { $0.id <= value.id } ?? -1) + 1)
      }
      if random.chance(1, in: 200) {
        list.removeAll { $0.id % 3 == 0 }
        model.removeAll { $0.id % 3 == 0 }
      }
      #expect(list.values == model && list.count == model.count && list.first == model.first, "after \(number) changes")
      #expect(list[key] == model.first { $0.click.key == key })
      let instant = Self.start + .seconds(model.isEmpty ? 0 : model[random.below(model.count)].id)
      #expect(list.prefix { $0.click.clickedAt < instant } == Array(model.prefix { $0.click.clickedAt < instant }))
    }
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func theEarliestAttributionsAreFirstInOrderOfTime(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (pending, model) = (PendingAttributions(), [Attribution]())
    for number in 1...1_000 as ClosedRange<Int64> {
      if random.chance(number / 300 % 2 == 0 ? 1 : 3, in: 4), let first = model.first {
        var sent = first
        sent.markSent(first.next?.recipient ?? .source)
        pending.save(sent, in: .normal)
        model[0] = sent
      } else {
        let key = Self.key(&random)
        let times = (0..<2).map { _ in Self.start + .seconds(Int64(random.below(100))) }
        let attribution = Attribution(
          id: number, click: Self.kept(key, number), trigger: Trigger(data: 1, priority: 1), attributedAt: Self.start,
          source: .init(report: number, dueAt: times[0]), destination: .init(report: number, dueAt: times[1]))
        pending.save(attribution, in: .normal)
        model.removeAll { $0.key == key }
        model.append(attribution)
      }
      model.removeAll { $0.next == nil }
      model.sort { ($0.next?.half.dueAt ?? .earliest, $0.id) < ($1.next?.half.dueAt ?? .earliest, $1.id) }
      let (first, second) = pending.earliest()
      #expect([first, second] == [model.first, model.dropFirst().first], "after \(number) changes")
    }
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func theNearestKeyLeadsToTheDestinationOrIsTheFirst(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (keys, model) = (OrderedKeys([]), Set<ClickKey>())
    for _ in 1...500 {
      let key = Self.key(&random)
      if model.remove(key) != nil {
        keys.remove(key)
      } else {
        model.insert(key)
        keys.insert(key)
      }
      let sought = Self.key(&random)
      let nearest = model.filter { $0.source == sought.source }.min {
        ($0.destination == sought.destination ? 0 : 1, $0.destination, $0.bundleIdentifier)
          < ($1.destination == sought.destination ? 0 : 1, $1.destination, $1.bundleIdentifier)
      }
      #expect(keys.nearest(source: sought.source, destination: sought.destination) == nearest)
    }
  }
}
