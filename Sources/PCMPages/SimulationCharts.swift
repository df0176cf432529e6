/// The charts of a simulation: the delays of its reports, and their values.
package struct SimulationCharts {
  private let delays: [(name: String, count: Int64)]
  private let values: [(name: String, count: Int64)]

  /// - Parameters:
  ///   - delays: The numbers of reports by full hours.
  ///   - values: The numbers of reported triggering events by their data.
  package init(delays: [(name: String, count: Int64)], values: [(name: String, count: Int64)]) {
    (self.delays, self.values) = (delays, values)
  }

  package var markup: Markup {
    let charts = [
      chart(
        "Delays of reports", "The reports by the hours since their triggering events.", "Hours", delays, series: "Reports"),
      chart(
        "Trigger data", "The triggering events with a report, by the value that the report contains.", "trigger_data", values,
        series: "Triggering events"),
    ]
    return BrowserCharts.markup(charts, width: LoadCharts.width)
  }

  private func chart(
    _ title: String, _ note: String, _ heading: String, _ bars: [(name: String, count: Int64)], series: String
  ) -> Chart {
    Chart(
      title: title, note: note, heading: heading, categories: bars.map(\.name),
      series: [Chart.Series(title: series, tone: .info, values: bars.map(\.count))])
  }
}
