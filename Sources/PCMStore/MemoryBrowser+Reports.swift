import PCMCore

extension MemoryBrowser {
  func report(_ id: Int64) -> Report? { reportRows.rows[id] }

  func reports(in state: Report.State?, after id: Int64, limit: Int) -> [Report] {
    reportRows.after(id, in: state, limit: limit)
  }

  func reportHeadings(in state: Report.State?, after id: Int64, limit: Int) -> [ReportHeading] {
    reportRows.after(id, in: state, limit: limit).map { report in
      ReportHeading(
        id: report.id, source: report.key.source, destination: report.key.destination, recipient: report.recipient)
    }
  }

  func scheduledReports(naming site: Site?) -> [Report] {
    let scheduled = reportRows.after(.min, in: .scheduled, limit: .max)
    guard let site else { return scheduled }
    return scheduled.filter { $0.key.names(site) }
  }

  func earliestRetries(limit: Int) -> [Report] { reportRows.rows.earliest(limit) }

  func removeReport(_ id: Int64) {
    let old = reportRows.set(nil, at: id)
    undo { self.reportRows.set(old, at: id) }
  }

  func save(_ report: Report) throws {
    try report.requireStorableTimes()
    let old = reportRows.set(report, at: report.id)
    undo { self.reportRows.set(old, at: report.id) }
  }
}
