import PCMPages

/// Test results in the XML format of CI systems: `testsuites`, `testsuite`, `testcase`.
///
/// There is no standard; JUnit's Ant task writes these elements and attributes, and its readers share them.
struct JUnitReport: Hashable, Sendable {
  let name: String
  let suites: [Suite]

  struct Suite: Hashable, Sendable {
    let name: String
    /// The duration, including the time outside of cases; nil for the sum of the cases.
    var milliseconds: Int64?
    /// The start time, RFC 3339.
    var timestamp: String?
    /// Facts about the suite as a whole, by name.
    var properties: [String: String] = [:]
    let cases: [Case]
  }

  struct Case: Hashable, Sendable {
    let name: String
    /// The name by which readers group; most split it at full stops.
    let className: String
    /// The file of the case, with `line` from 1.
    var file: String?
    var line: Int?
    /// The duration; nil when it was not measured.
    var milliseconds: Int64?
    let outcome: Outcome
    /// Text that is not a failure, such as a warning; omitted when empty.
    var output = ""
  }

  enum Outcome: Hashable, Sendable {
    case passed
    /// The message is one line, the text may be many; the type is a word.
    case failed(message: String, type: String, text: String)
    case skipped(message: String)
  }

  /// The document in UTF-8, with its declaration.
  var xml: String {
    let cases = suites.flatMap(\.cases)
    let times = suites.compactMap(\.time)
    let head = attributes(name: name, cases: cases, time: times.isEmpty ? nil : times.reduce(0, +))
    return
      (["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites\(head)>"]
      + suites.flatMap(\.lines) + ["</testsuites>"]).joined(separator: "\n") + "\n"
  }
}

extension JUnitReport.Suite {
  fileprivate var time: Int64? {
    let times = cases.compactMap(\.milliseconds)
    return milliseconds ?? (times.isEmpty ? nil : times.reduce(0, +))
  }

  fileprivate var lines: [String] {
    let timestamp = timestamp.map { attribute("timestamp", $0) } ?? ""
    return ["  <testsuite\(attributes(name: name, cases: cases, time: time))\(timestamp)>"] + propertyLines
      + cases.flatMap(\.lines)
      + ["  </testsuite>"]
  }

  private var propertyLines: [String] {
    guard !properties.isEmpty else { return [] }
    let lines = properties.sorted { $0.key < $1.key }.map {
      "      <property\(attribute("name", $0.key))\(attribute("value", $0.value))/>"
    }
    return ["    <properties>"] + lines + ["    </properties>"]
  }
}

extension JUnitReport.Case {
  fileprivate var lines: [String] {
    var head = "    <testcase" + attribute("name", name) + attribute("classname", className)
    if let file { head += attribute("file", file) }
    if let line { head += attribute("line", String(line)) }
    if let milliseconds { head += attribute("time", seconds(milliseconds)) }
    let children = outcome.elements + (output.isEmpty ? [] : ["<system-out>\(output.markupText)</system-out>"])
    guard !children.isEmpty else { return [head + "/>"] }
    return [head + ">"] + children.map { "      " + $0 } + ["    </testcase>"]
  }
}

extension JUnitReport.Outcome {
  fileprivate var elements: [String] {
    switch self {
    case .passed: []
    case .failed(let message, let type, let text):
      ["<failure\(attribute("message", message))\(attribute("type", type))>\(text.markupText)</failure>"]
    case .skipped(let message): ["<skipped\(attribute("message", message))/>"]
    }
  }

  fileprivate var isFailure: Bool { if case .failed = self { true } else { false } }
  fileprivate var isSkip: Bool { if case .skipped = self { true } else { false } }
}

/// The common attributes of a suite and the document: a name, the counts, and the time when it was measured.
private func attributes(name: String, cases: [JUnitReport.Case], time: Int64?) -> String {
  attribute("name", name) + attribute("tests", String(cases.count))
    + attribute("failures", String(cases.count { $0.outcome.isFailure })) + attribute("errors", "0")
    + attribute("skipped", String(cases.count { $0.outcome.isSkip }))
    + (time.map { attribute("time", seconds($0)) } ?? "")
}

private func attribute(_ name: String, _ value: String) -> String { " \(name)=\"\(value.markupAttribute)\"" }

/// `1.050`: seconds with a full stop, whatever the language of the machine.
private func seconds(_ milliseconds: Int64) -> String {
  let rest = String(milliseconds % 1_000)
  return "\(milliseconds / 1_000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
}
