/// The picture of a chart.
struct ChartDrawing {
  let chart: Chart
  let width: Int

  private static let (height, left, top, bottom) = (190, 46, 10, 24)

  private var plotWidth: Int { width - Self.left - 4 }
  private var plotHeight: Int { Self.height - Self.top - Self.bottom }

  var svg: Markup {
    let summary = chart.categories.indices.map { "\(chart.categories[$0]): \(chart.unit.text(total($0)))" }.joined(
      separator: ", ")
    return """
      <svg viewBox="0 0 \(width) \(Self.height)" width="\(width)" height="\(Self.height)" role="img" aria-label="\(chart.title). \(summary)">
      \(grid)
      \(bars)
      \(expectation)\(labels)
      </svg>
      """
  }

  private func total(_ index: Int) -> Int64 { chart.series.map { $0.values[index] }.reduce(0, +) }

  /// The value at the upper end: 1, 2, or 5 times a power of ten.
  private var limit: Int64 {
    let most = max(chart.categories.indices.map(total).max() ?? 1, Int64(chart.expectation?.value ?? 0), 1)
    var power: Int64 = 1
    while power * 10 < most { power *= 10 }
    return [1, 2, 5, 10].map { $0 * power }.first { $0 >= most } ?? most
  }

  private func y(_ value: Double) -> Int { Self.top + plotHeight - Int((value / Double(limit) * Double(plotHeight)).rounded()) }

  private func x(_ index: Int) -> Int { Self.left + plotWidth * index / max(chart.categories.count, 1) }

  private var grid: [Markup] {
    (limit < 2 ? [0, limit] : [0, limit / 2, limit]).map { value -> Markup in
      let place = y(Double(value))
      return """
        <line class="grid" x1="\(Self.left)" y1="\(place)" x2="\(width)" y2="\(place)"/>\
        <text x="\(Self.left - 6)" y="\(place + 4)" text-anchor="end">\(chart.unit.short(value))</text>
        """
    }
  }

  private var bars: [Markup] {
    chart.categories.indices.flatMap { index -> [Markup] in
      var sum: Int64 = 0
      return chart.series.compactMap { series -> Markup? in
        let value = series.values[index]
        guard value > 0 else { return nil }
        let (from, to) = (y(Double(sum)), y(Double(sum + value)))
        sum += value
        let span = max(x(index + 1) - x(index) - 3, 1)
        return """
          <rect class="\(series.tone.rawValue)" x="\(x(index) + 2)" y="\(to)" width="\(span)" height="\(max(from - to, 1))">\
          <title>\(chart.categories[index]), \(series.title): \(chart.unit.text(value))</title></rect>
          """
      }
    }
  }

  private var expectation: Markup {
    guard let value = chart.expectation?.value else { return "" }
    return "<path class=\"expected\" d=\"M\(Self.left) \(y(value))H\(width)\"/>"
  }

  /// As many labels as there is room for.
  private var labels: [Markup] {
    let room = (chart.categories.lazy.map(\.count).max() ?? 0) * 6 + 16
    let step = max((chart.categories.count * room + plotWidth - 1) / max(plotWidth, 1), 1)
    return chart.categories.indices.filter { $0 % step == 0 }.map { index -> Markup in
      let middle = (x(index) + x(index + 1)) / 2
      return "<text x=\"\(middle)\" y=\"\(Self.height - 6)\" text-anchor=\"middle\">\(chart.categories[index])</text>"
    }
  }
}

extension Chart.Unit {
  /// A value at the axis.
  fileprivate func short(_ value: Int64) -> String {
    switch self {
    case .count: "\(value)"
    case .microseconds where value >= 1_000_000: "\(Chart.decimal(Double(value) / 1_000_000)) s"
    case .microseconds: value < 1_000 ? "\(value) µs" : "\(value / 1_000) ms"
    }
  }
}
