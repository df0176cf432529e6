import PCMCore

/// What the examination's reports are about, for an endpoint that knows only its campaigns or shops.
package struct ReportSubjects: Hashable, Sendable {
  /// The values of `source_id` that the endpoint knows, 0 to 255; empty for all of them.
  package var sourceIDs: [Int64]
  /// The values of `trigger_data` that the endpoint knows, 0 to 15; empty for all of them.
  package var triggerData: [Int64]
  /// The registrable domain on the other side of the click; nil for a made-up one.
  package var otherSite: String?

  package init(sourceIDs: [Int64] = [], triggerData: [Int64] = [], otherSite: String? = nil) {
    self.sourceIDs = sourceIDs
    self.triggerData = triggerData
    self.otherSite = otherSite
  }

  /// The source ids of the examination's ordinary reports. The first is that of the first report.
  var ordinarySourceIDs: [Int64] { sourceIDs.isEmpty ? Array(7...14) : Array(sourceIDs.prefix(8)) }

  /// The trigger data of the examination's ordinary reports. The first is that of the first report.
  var ordinaryTriggerData: [Int64] { triggerData.isEmpty ? Array(3...15) + Array(0...2) : Array(triggerData.prefix(16)) }

  /// Whether several values of a kind were given, of which some may be wrong.
  var areSeveralGiven: Bool { sourceIDs.count > 1 || triggerData.count > 1 }

  /// The values of the first report.
  var first: ReportValues { ReportValues(ordinarySourceIDs[0], ordinaryTriggerData[0]) }

  /// The smallest values, as far as the endpoint is said to know them; nil when it knows given ones alone.
  var smallest: ReportValues? { extreme(0, 0) }

  /// The largest values, as far as the endpoint is said to know them; nil when it knows given ones alone.
  var largest: ReportValues? { extreme(255, 15) }

  private func extreme(_ sourceID: Int64, _ triggerData: Int64) -> ReportValues? {
    guard self.sourceIDs.isEmpty || self.triggerData.isEmpty else { return nil }
    return ReportValues(
      self.sourceIDs.isEmpty ? sourceID : first.sourceID, self.triggerData.isEmpty ? triggerData : first.triggerData)
  }

  /// Reports that show one by one which of the ordinary values the endpoint accepts, besides those that are sent anyway.
  var survey: [ReportValues] {
    let row = ordinaryTriggerData.map { ReportValues(first.sourceID, $0) }
    let column = ordinarySourceIDs.map { ReportValues($0, first.triggerData) }
    return (row + column).filter { ![first, smallest, largest].contains($0) }
  }
}

/// The two numbers of a report.
struct ReportValues: Hashable, Sendable {
  let sourceID: Int64
  let triggerData: Int64

  init(_ sourceID: Int64, _ triggerData: Int64) {
    self.sourceID = sourceID
    self.triggerData = triggerData
  }
}
