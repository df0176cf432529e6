/// Numbers as bars, and as an equivalent table.
struct Chart {
  /// The bars of one kind, with a value for each category. They stand on the bars of the previous series.
  struct Series {
    let title: String
    let tone: Tone
    let values: [Int64]
  }

  /// The appearance of a series. Tones differ in color and in their borders.
  enum Tone: String {
    case info, plan, good, bad, quiet
  }

  enum Unit {
    case count
    /// A length of time, which is shown in milliseconds.
    case microseconds
  }

  let title: String
  /// The meaning of the numbers, in a sentence.
  let note: String
  /// The name of a category: the heading of the first column of the table.
  let heading: String
  let categories: [String]
  let series: [Series]
  var unit = Unit.count
  /// A line at the height that each bar is expected to have.
  var expectation: (title: String, value: Double)?
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
