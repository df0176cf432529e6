import Foundation
import PCMCore

@testable import PCMScenario

/// A good file with a little of everything, after the format's description.
let goodFile = """
  # A comment.
  scenario: App to web with a pixel
  rule: "case 114 [T]"
  browser:
    seed: "114"
    storage: durable
    start: 2026-11-20T10:00:00.000Z
    settings: { deliveryPolicy: reliable, debugMode: false }   # as in the API
  apps:
    com.example.news: { reportEndpoint: "https://news.example" }
    com.example.bare: {}
  sites:
    shop.example:
      key: second
      report: { status: 500, content-type: text/plain, body: "]] it's broken {{" }
      token-key: [{}, { status: 200, body: '' }]
      sign: { forged: true }
      loads:
        /pixel?a=1: { status: 302, location: "https://news.example/x" }
    news.example:
      report: { failure: timed-out }
  steps:
    - event-attribution: { bundleIdentifier: com.example.news, sourceIdentifier: 256, destinationURL: "https://shop.example/" }
      expect: { status: 422, errors: [/sourceIdentifier] }
    - name: The page's pixel
      at: PT3H
      triggering-event:
        firstPartyURL: https://shop.example/thanks?a=1&b=2
        redirect: { from: "https://news.example/pixel", to: "https://news.example/12/03" }
      expect: { outcome: attributed, reasons: [], events: [trigger-accepted, [attributed, { kind: report-scheduled, detail: { recipient: source } }]] }
    - at: PT51H
      expect:
        measurements: { unattributed: [], attributed: [{ sourceSite: news.example, priority: 3 }], ephemeral: null }
        reports:
        - recipient: source
          state: delivered
          due: [PT27H, PT51H]
          body: { source_engagement_type: click, source_site: news.example, source_id: 4, version: 3 }
        - recipient: destination
          failure: http-status
        sent:
          - to: news.example
            kind: report
            body: { source_engagement_type: click }
            tokens: { source: verified }
            within: [PT27H, PT51H]
          - [{ kind: token-key }, { kind: sign }]
        explanation: { of: { destination: shop.example }, rule: null, reason: null }
    - advance: { untilIdle: true }
    - advance: PT1M
    - settings: { privateBrowsing: true }
    - app: { bundleIdentifier: com.example.new, reportEndpoint: "https://new.example/?a&b" }
    - app:
        plist: |
          <?xml version="1.0"?>
          <plist><dict/></plist>
    - remove-app: com.example.new
    - sites: { shop.example: { report: [{ status: 503 }, {}] } }
    - clear: { site: shop.example }
    - clear: {}
    - restart: {}
      expect: { nothing: true, answer: { deep: [1, two, null, { three: -3 }] } }

  """

func scenario(_ text: String) throws(ScenarioErrors) -> Scenario {
  try ScenarioReader().read(Array(text.utf8))
}

/// Returns the errors of a file; empty when it is valid.
func errors(_ file: [UInt8]) -> [ScenarioError] {
  do {
    _ = try ScenarioReader().read(file)
    return []
  } catch {
    return error.errors
  }
}

func errors(_ text: String) -> [ScenarioError] { errors(Array(text.utf8)) }

/// A file with one step of these lines.
func file(step: String) -> String {
  "scenario: a\nbrowser: { storage: durable }\nsteps:\n  - "
    + step.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n    ") + "\n"
}

/// The values of a file, whatever it means.
func scenarioJSON(_ text: String) throws -> JSON {
  try SourceNode.read(SourceText(Array(text.utf8))).json
}

/// Reads on a thread with a small stack, like the threads that read bodies on other systems.
func errorsOnSmallStack(_ file: [UInt8]) -> [ScenarioError] {
  let result = ReadingResult()
  let thread = Thread {
    let found = errors(file)
    result.condition.withLock {
      result.errors = found
      result.condition.signal()
    }
  }
  thread.stackSize = 512 * 1_024
  thread.start()
  return result.condition.withLock {
    while true {
      if let errors = result.errors { return errors }
      result.condition.wait()
    }
  }
}

/// `@unchecked`: the value is only touched under the condition's lock.
private final class ReadingResult: @unchecked Sendable {
  let condition = NSCondition()
  var errors: [ScenarioError]?
}

extension SplitMix64 {
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
