/// One metric with all its series, as a scrape shows it.
package struct MetricFamily: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case counter, gauge, histogram
  }

  package let name: String
  package let help: String
  package let kind: Kind
  package let samples: [Sample]

  package init(_ name: String, _ help: String, _ kind: Kind, _ samples: [Sample]) {
    self.name = name
    self.help = help
    self.kind = kind
    self.samples = samples
  }

  /// One number.
  package struct Sample: Hashable, Sendable {
    /// What follows the metric's name: `_bucket`, `_sum` and `_count` of a histogram.
    package let suffix: String
    package let labels: [Label]
    package let value: Double

    package init(suffix: String = "", _ labels: [Label] = [], _ value: Double) {
      self.suffix = suffix
      self.labels = labels
      self.value = value
    }
  }

  package struct Label: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }
}

/// The labels of one series. Values come from closed lists: names, hosts, paths and whatever else a caller chooses are
/// none, so that nobody can make the number of series grow, and nothing private leaves with a scrape.
package protocol MetricLabels: Hashable, Sendable {
  static var names: [String] { get }
  /// One for each name, in the same order.
  var values: [String] { get }
}

extension MetricLabels {
  var labels: [MetricFamily.Label] { zip(Self.names, values).map(MetricFamily.Label.init) }
}

extension Dictionary where Key: MetricLabels {
  /// In the order of the label values, so that two scrapes of the same state are the same bytes.
  var inLabelOrder: [(key: Key, value: Value)] {
    sorted { $0.key.values.lexicographicallyPrecedes($1.key.values) }
  }
}
