import PCMCore

extension Report: NumberedRow {
  var time: Instant? { retryAt }
}

/// A browser's reports by number, with the ordered numbers of each state.
struct ReportRows {
  private(set) var rows = NumberedRows<Report>()
  private var states: [Report.State: OrderedIndex<Int64>] = [:]

  /// Sets or removes the report with a number, and returns the previous one.
  @discardableResult
  mutating func set(_ report: Report?, at number: Int64) -> Report? {
    let old = rows.set(report, at: number)
    if old?.state != report?.state {
      if let state = old?.state { states[state]?.remove(number) }
      if let state = report?.state { states[state, default: OrderedIndex()].insert(number) }
    }
    return old
  }

  func after(_ number: Int64, in state: Report.State?, limit: Int) -> [Report] {
    guard let state else { return rows.after(number, limit: limit) }
    guard let numbers = states[state] else { return [] }
    return numbers.elements { $0 <= number }.prefix(max(0, limit)).compactMap { rows[$0] }
  }

  func scheduled(naming site: Site?) -> [Report] {
    let scheduled = after(.min, in: .scheduled, limit: .max)
    guard let site else { return scheduled }
    return scheduled.filter { $0.key.names(site) }
  }
}
