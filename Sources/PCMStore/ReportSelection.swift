package import PCMCore

/// The reports that satisfy each of a caller's filters. An empty filter selects all.
package struct ReportSelection: Hashable, Sendable {
  package let states: Set<Report.State>
  package let recipients: Set<Recipient>
  /// The sites that may be the source or the destination of the click.
  package let sites: Set<Site>

  package init(states: Set<Report.State> = [], recipients: Set<Recipient> = [], sites: Set<Site> = []) {
    self.states = states
    self.recipients = recipients
    self.sites = sites
  }

  /// The maximum number of reports that a page examines.
  package static let maximumExamined = 10_000

  package static let all = ReportSelection()

  /// All filters are empty except the states, for which the stores have an index.
  fileprivate var isByStateOnly: Bool { recipients.isEmpty && sites.isEmpty }

  /// Returns whether a report in a selected state satisfies the other filters.
  fileprivate func contains(_ heading: ReportHeading) -> Bool {
    (recipients.isEmpty || recipients.contains(heading.recipient))
      && (sites.isEmpty || sites.contains(heading.source) || sites.contains(heading.destination))
  }
}

/// The members of a report that filters compare, without its texts, which may be long.
package struct ReportHeading: Hashable, Sendable {
  package let id: Int64
  package let source: Site
  package let destination: Site
  package let recipient: Recipient
}

extension BrowserReader {
  /// Returns a page of the selected reports after `id`. The position of a report is its number.
  ///
  /// The index of states finds the reports, and only the reports of the page are read with their texts. With another filter, a
  /// page examines a limited number of reports, and may have fewer than `limit` items, or none, although more follow.
  ///
  /// - Parameters:
  ///   - bytes: The size of bodies and attempts with which the page ends.
  ///   - most: The maximum number of reports that a page examines with a filter other than states.
  package func reports(
    _ selection: ReportSelection, after id: Int64, limit: Int, bytes: Int = .max,
    examining most: Int = ReportSelection.maximumExamined
  ) throws -> RecordPage<Report> {
    let states: [Report.State?] = selection.states.isEmpty ? [nil] : Array(selection.states)
    // Without another filter, the first reports suffice.
    let share = selection.isByStateOnly ? limit + 1 : max(1, most / states.count)
    let searches = try states.map { try search(selection, in: $0, after: id, limit: limit, examining: share) }
    // Reports after the end of any search belong to a later page.
    let end = searches.compactMap(\.end).min()
    let found = searches.flatMap(\.found).filter { $0 <= end ?? .max }.sorted()
    var (items, size, next): ([Report], Int, Int64?) = ([], 0, found.count > limit ? found[limit - 1] : end)
    for number in found.prefix(limit) {
      guard size < bytes else {
        next = items.last?.id
        break
      }
      guard let report = try row(Report.self, number) else { continue }
      items.append(report)
      size += report.size
    }
    return RecordPage(items: items, positions: items.map(\.id), next: next)
  }

  /// Examines the reports after a number, in one state or in all states, until more than `limit` are found.
  ///
  /// - Returns: The numbers of the selected reports, and the last examined number; nil when no report is left.
  private func search(
    _ selection: ReportSelection, in state: Report.State?, after id: Int64, limit: Int, examining most: Int
  ) throws -> (found: [Int64], end: Int64?) {
    var (found, position, left) = ([Int64](), id, most)
    while left > 0, found.count <= limit {
      let count = min(left, 1_000)
      let headings = try reportHeadings(in: state, after: position, limit: count)
      found += headings.filter(selection.contains).map(\.id)
      guard headings.count == count, let last = headings.last else { return (found, nil) }
      (position, left) = (last.id, left - count)
    }
    return (found, position)
  }
}
