/// Numbers as bars, and as an equivalent table.
package struct Chart: Hashable, Sendable {
  /// The bars of one kind. They stand on the bars of the previous series.
  package struct Series: Hashable, Sendable {
    let title: String
    let tone: Tone
    let values: [Int64]

    /// - Parameter values: A value for each category.
    package init(_ title: String, _ tone: Tone, _ values: [Int64]) {
      self.title = title
      self.tone = tone
      self.values = values
    }
  }

  /// The appearance of a series. Tones differ in their borders, too, not only in color.
  package enum Tone: String, Hashable, Sendable {
    case info, plan, good, bad, quiet
  }

  package enum Unit: Hashable, Sendable {
    case count
    /// A length of time, which is shown in milliseconds.
    case microseconds
  }

  /// A line at the height that each bar is expected to have.
  package struct Expectation: Hashable, Sendable {
    let title: String
    let value: Double

    package init(_ title: String, _ value: Double) {
      self.title = title
      self.value = value
    }
  }

  let title: String
  let note: String
  let heading: String
  let categories: [String]
  let series: [Series]
  let unit: Unit
  let expectation: Expectation?

  /// - Parameters:
  ///   - note: What the numbers are, in a sentence.
  ///   - heading: What a category is: the heading of the first column of the table.
  package init(
    title: String, note: String, heading: String, categories: [String], series: [Series], unit: Unit = .count,
    expectation: Expectation? = nil
  ) {
    self.title = title
    self.note = note
    self.heading = heading
    self.categories = categories
    self.series = series
    self.unit = unit
    self.expectation = expectation
  }

  /// The names of intervals that begin at these times.
  ///
  /// - Parameter step: The length of the intervals in milliseconds.
  package static func labels(_ starts: [Int64], step: Int64) -> [String] {
    starts.map { start in
      let time = PageTime(milliseconds: start)
      return step < 86_400_000 ? "\(time.shortDate) \(time.clock)" : time.shortDate
    }
  }
}

extension Chart {
  /// - Parameter width: The width of the picture in pixels.
  func markup(width: Int) -> Markup {
    let hasValues = series.contains { $0.values.contains { $0 > 0 } }
    let content: Markup = hasValues ? "\(ChartDrawing(chart: self, width: width).svg)\(legend)\(table)" : ""
    return """
      <figure class="chart"><figcaption><h3>\(title)</h3><p class="soft">\(note)</p></figcaption>
      \(content)</figure>
      """
  }

  private var legend: Markup {
    let entries =
      series.count > 1
      ? series.map { Self.entry("<rect class=\"\($0.tone.rawValue)\" x=\"2\" y=\"3\" width=\"12\" height=\"10\"/>", $0.title) }
      : []
    let line = expectation.map { Self.entry("<path class=\"expected\" d=\"M0 8h16\"/>", $0.title) }
    let all = entries + [line].compactMap { $0 }
    return all.isEmpty ? "" : "<ul class=\"legend\">\(all)</ul>"
  }

  private static func entry(_ shape: Markup, _ title: String) -> Markup {
    "<li><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\">\(shape)</svg>\(title)</li>"
  }

  private var table: Markup {
    let heads = series.map { series -> Markup in "<th scope=\"col\">\(series.title)</th>" }
    let expected: Markup = expectation.map { "<th scope=\"col\">\($0.title)</th>" } ?? ""
    let rows = categories.indices.map { index -> Markup in
      let cells = series.map { series -> Markup in "<td>\(unit.text(series.values[index]))</td>" }
      let line: Markup = expectation.map { "<td>\(Self.decimal($0.value))</td>" } ?? ""
      return "<tr><th scope=\"row\">\(categories[index])</th>\(cells)\(line)</tr>"
    }
    return """
      <details data-key="table-\(title)"><summary>Table</summary><div class="wide-table" role="region" tabindex="0" \
      aria-label="Table: \(title)"><table><thead><tr><th scope="col">\(heading)</th>\(heads)\(expected)</tr></thead>
      <tbody>\(rows)</tbody></table></div></details>
      """
  }

  /// A number with one decimal.
  static func decimal(_ value: Double) -> String {
    let tenths = Int64((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

extension Chart.Unit {
  func text(_ value: Int64) -> String {
    switch self {
    case .count: "\(value)"
    case .microseconds: "\(Chart.decimal(Double(value) / 1_000)) ms"
    }
  }
}

/// The charts of a browser's page.
package struct ChartsView: Hashable, Sendable {
  private let charts: [Chart]
  private let width: Int

  /// - Parameter width: The width of the place for all charts, in pixels.
  package init(_ charts: [Chart], width: Int) {
    self.charts = charts
    self.width = min(max(width, 240), 4_000)
  }

  package var markup: Markup {
    // As many columns as the style sheet makes.
    let columns = max(min((width + 24) / 376, charts.count), 1)
    let share = (width - 24 * (columns - 1)) / columns
    return "<div class=\"charts\">\n\(charts.map { $0.markup(width: share) })\n</div>"
  }
}
