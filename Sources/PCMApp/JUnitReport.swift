import PCMPages

/// Test results in the XML format of CI systems: `testsuites`, `testsuite`, `testcase`.
///
/// There is no standard; the elements and attributes are those that JUnit's Ant task writes and its readers share.
struct JUnitReport: Hashable, Sendable {
  private let name: String
  private let suites: [Suite]

  struct Suite: Hashable, Sendable {
    fileprivate let name: String
    fileprivate let timestamp: String?
    fileprivate let properties: [Property]
    fileprivate let cases: [Case]

    /// - Parameters:
    ///   - timestamp: The start time, RFC 3339.
    ///   - properties: Facts about the suite as a whole.
    init(_ name: String, timestamp: String? = nil, properties: [Property] = [], cases: [Case]) {
      self.name = name
      self.timestamp = timestamp
      self.properties = properties
      self.cases = cases
    }
  }

  struct Property: Hashable, Sendable {
    fileprivate let name: String
    fileprivate let value: String

    init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  struct Case: Hashable, Sendable {
    fileprivate let name: String
    fileprivate let className: String
    fileprivate let file: String?
    fileprivate let line: Int?
    fileprivate let milliseconds: Int64?
    fileprivate let outcome: Outcome
    fileprivate let output: String

    /// - Parameters:
    ///   - className: The name by which readers group; most split it at full stops.
    ///   - file: The file of the case, with `line` from 1.
    ///   - milliseconds: The duration; nil when it was not measured.
    ///   - output: Text that is not a failure, such as a warning; omitted when empty.
    init(
      _ name: String, className: String, file: String? = nil, line: Int? = nil, milliseconds: Int64? = nil,
      outcome: Outcome, output: String = ""
    ) {
      self.name = name
      self.className = className
      self.file = file
      self.line = line
      self.milliseconds = milliseconds
      self.outcome = outcome
      self.output = output
    }
  }

  enum Outcome: Hashable, Sendable {
    case passed
    /// The message is one line, the text may be many; the type is a word.
    case failed(message: String, type: String, text: String)
    case skipped(message: String)
  }

  init(name: String, suites: [Suite]) {
    self.name = name
    self.suites = suites
  }

  /// The document in UTF-8, with its declaration.
  var xml: String {
    let cases = suites.flatMap(\.cases)
    return
      (["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites\(attributes(name: name, cases: cases))>"]
      + suites.flatMap(\.lines) + ["</testsuites>"]).joined(separator: "\n") + "\n"
  }
}

extension JUnitReport.Suite {
  fileprivate var lines: [String] {
    let timestamp = timestamp.map { attribute("timestamp", $0) } ?? ""
    return ["  <testsuite\(attributes(name: name, cases: cases))\(timestamp)>"] + propertyLines + cases.flatMap(\.lines)
      + ["  </testsuite>"]
  }

  private var propertyLines: [String] {
    guard !properties.isEmpty else { return [] }
    let lines = properties.map { "      <property\(attribute("name", $0.name))\(attribute("value", $0.value))/>" }
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

/// The common attributes of a suite and the document: a name, the counts, and the time when any case has one.
private func attributes(name: String, cases: [JUnitReport.Case]) -> String {
  let times = cases.compactMap(\.milliseconds)
  return attribute("name", name) + attribute("tests", String(cases.count))
    + attribute("failures", String(cases.count { $0.outcome.isFailure })) + attribute("errors", "0")
    + attribute("skipped", String(cases.count { $0.outcome.isSkip }))
    + (times.isEmpty ? "" : attribute("time", seconds(times.reduce(0, +))))
}

private func attribute(_ name: String, _ value: String) -> String { " \(name)=\"\(value.markupAttribute)\"" }

/// `1.050`: seconds with a full stop, whatever the language of the machine.
private func seconds(_ milliseconds: Int64) -> String {
  let rest = String(milliseconds % 1_000)
  return "\(milliseconds / 1_000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
}
