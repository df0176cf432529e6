import Foundation
import ServiceSupport
import SignatureSupport
import Testing

/// `pcm-browser verify` with the log of a day.
@Suite struct VerifyLogTests {
  @Test("Each line of a generated day has the verdict with which it was generated")
  func generatedDay() async throws {
    var day = try GeneratedDay(faults: 0.1, copies: 0.05)
    let lines = try (0..<2_500).map { _ in try day.next() }
    let input = lines.map { String(decoding: $0.bytes, as: UTF8.self) + "\n" }.joined()
    let run = try await ServiceProcess.run(["verify", "--test-keys", "--json", "-"], input: input)
    #expect(run.status == 1)
    let found = try run.output.split(separator: "\n").map { line -> (item: String, verdict: String) in
      let verdict = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      return (try #require(verdict["item"] as? String), try #require(verdict["verdict"] as? String))
    }
    #expect(found.count == lines.count)
    for (index, (line, found)) in zip(lines, found).enumerated() {
      #expect(found.item.split(separator: "#").first == "standard input:\(index + 1)")
      #expect(found.verdict == line.outcome, "\(String(decoding: line.bytes, as: UTF8.self))")
    }
    let summary = try await ServiceProcess.run(["verify", "--test-keys", "--only", "contradiction", "-"], input: input)
    let count = lines.count { $0.outcome == "contradiction" }
    #expect(summary.output.contains("\(count) contradiction"), "\(summary.output)")
    #expect(summary.output.split(separator: "\n").count { $0.contains(": contradiction, a postback") } == count)
  }
}
