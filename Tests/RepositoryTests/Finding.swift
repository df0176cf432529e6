import Testing

/// One breach of a rule of the repository.
struct Finding: Hashable, CustomStringConvertible {
  /// Relative to the root.
  let path: String
  /// Counted from 1; nil when the whole file is meant.
  let line: Int?
  let rule: String
  /// The breach, for the person who mends it.
  let detail: String

  init(_ path: String, line: Int? = nil, rule: String, _ detail: String = "") {
    self.path = path
    self.line = line
    self.rule = rule
    self.detail = detail
  }

  var description: String {
    let place = line.map { "\(path):\($0)" } ?? path
    return detail.isEmpty ? "\(place): \(rule)" : "\(place): \(rule): \(detail)"
  }
}

extension Sequence<Finding> {
  /// The message of a failing test: a line each, in the order of their places.
  var report: String {
    map(\.description).sorted().map { "\n  \($0)" }.joined()
  }
}

/// A named breach that is accepted. A breach that no longer occurs is a finding itself, so that a list of these stays true.
struct AcceptedBreach: Hashable {
  let path: String
  let rule: String
  let reason: String
}

/// The findings that no exception accepts, and the exceptions that accept nothing.
func findings(_ found: [Finding], accepting exceptions: [AcceptedBreach]) -> [Finding] {
  let open = found.filter { finding in
    !exceptions.contains { $0.path == finding.path && $0.rule == finding.rule }
  }
  let idle = exceptions.filter { exception in
    !found.contains { $0.path == exception.path && $0.rule == exception.rule }
  }
  return open + idle.map { Finding($0.path, rule: "exception no longer needed", $0.rule) }
}

/// Fails the test with one line for each finding.
func expectNone(_ found: [Finding], at location: SourceLocation = #_sourceLocation) {
  if !found.isEmpty { Issue.record("\(found.report)", sourceLocation: location) }
}
