import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

@Suite struct ImpressionTableTests {
  private func view(_ id: Int64, item: Int64 = Sample.item, app: String = "com.example.news") -> KeptImpression {
    var signed = Sample.impression(.v4, fidelity: .viewThrough)
    signed.itemIdentifier = item
    return KeptImpression(
      id: id,
      impression: AdImpression(
        signed: .skAdNetwork(signed), interaction: .view, sourceApp: app, sourceSDK: OSVersion(18, 4), isDevelopment: false,
        recordedAt: Sample.now))
  }

  @Test("Fifteen views of a source app are kept; the sixteenth drops the oldest")
  func views() {
    var table = ImpressionTable()
    for id in 1...15 as ClosedRange<Int64> {
      #expect(table.record(Sample.kept(id, .v4, .view, age: .minutes(100 - id))).isEmpty)
    }
    let removals = table.record(Sample.kept(16, .v4, .view, age: .minutes(1)))
    #expect(removals.map(\.reason.code) == ["too-many-views"] && removals[0].id == 1)
    #expect(table.kept.map(\.id) == Array(2...16))
  }

  @Test("The oldest ad was recorded first, whatever its place")
  func oldestByTime() {
    var table = ImpressionTable()
    for id in 1...15 as ClosedRange<Int64> { _ = table.record(Sample.kept(id, .v4, .view, age: .minutes(id))) }
    #expect(table.record(Sample.kept(16, .v4, .view, age: .minutes(0))).map(\.id) == [15])
  }

  @Test("Clicks, and views of the other framework, do not count")
  func others() {
    var table = ImpressionTable()
    for id in 1...15 as ClosedRange<Int64> { _ = table.record(Sample.kept(id, .v4, .view)) }
    #expect(table.record(Sample.kept(16, nil, .view)).isEmpty)
    for id in 17...40 as ClosedRange<Int64> { #expect(table.record(Sample.kept(id)).isEmpty) }
    #expect(table.kept.count == 40)
  }

  @Test("A second start replaces a view of the same app for the same advertised app")
  func replacement() {
    var table = ImpressionTable()
    #expect(table.begin(view(1)).isEmpty)
    #expect(table.begin(view(2, item: 7)).isEmpty)
    #expect(table.begin(view(3, app: "com.example.other")).isEmpty)
    let replaced = table.begin(view(4))
    #expect(replaced.map(\.id) == [1] && replaced.map(\.reason.code) == ["view-replaced"])
    #expect(table.open.map(\.id) == [2, 3, 4])
  }

  static let lifetimes: [(SKAdNetworkVersion?, InteractionType, OSVersion, Interval)] = [
    (.v4, .view, OSVersion(18, 4), .hours(24)), (.v4, .click, OSVersion(18, 4), .days(30)),
    (nil, .view, OSVersion(18, 3), .hours(24)), (nil, .view, OSVersion(18, 4), .days(7)),
    (nil, .click, OSVersion(18, 4), .days(30)),
  ]

  @Test("Ads expire when no configuration can make them count", arguments: lifetimes.indices)
  func expiry(index: Int) {
    let (version, interaction, system, lifetime) = Self.lifetimes[index]
    var table = ImpressionTable(kept: [Sample.kept(1, version, interaction, age: lifetime)])
    #expect(table.removeExpired(at: Sample.now, on: system).isEmpty)
    let removals = table.removeExpired(at: Sample.now + Sample.millisecond, on: system)
    #expect(removals.map(\.id) == [1] && removals[0].reason.detail.hasSuffix(" expired at \(Sample.now.text)"))
    #expect(table.kept.isEmpty)
  }

  @Test("A view that has not ended after 24 hours is dropped")
  func openViews() {
    var table = ImpressionTable()
    _ = table.begin(view(1))
    #expect(table.removeExpired(at: Sample.now + .hours(24), on: OSVersion(18, 4)).isEmpty)
    let removals = table.removeExpired(at: Sample.now + .hours(24) + Sample.millisecond, on: OSVersion(18, 4))
    #expect(removals.map(\.id) == [1])
    #expect(removals.first?.reason.code == "view-not-ended")
    #expect(table.open.isEmpty)
  }

  @Test("Ads of a decision about an install are removed")
  func use() {
    var table = ImpressionTable(kept: [Sample.kept(1), Sample.kept(2), Sample.kept(3)])
    let removals = table.remove([1, 3], after: 100)
    #expect(removals.map(\.id) == [1, 3] && removals.map(\.reason.code) == ["impression-used", "impression-used"])
    #expect(table.kept.map(\.id) == [2])
  }
}
