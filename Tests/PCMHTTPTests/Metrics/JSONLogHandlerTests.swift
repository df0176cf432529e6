import Foundation
import Logging
import NIOConcurrencyHelpers
import PCMCore
import Testing

@testable import PCMHTTP

/// Log lines in JSON.
@Suite struct JSONLogHandlerTests {
  private final class Lines: Sendable {
    private let lines = NIOLockedValueBox<[String]>([])

    func add(_ line: String) { lines.withLockedValue { $0.append(line) } }

    var all: [String] { lines.withLockedValue { $0 } }
  }

  private struct Fault: Error {}

  private func logger(_ lines: Lines) -> Logger {
    Logger(label: "pcm-browser") { label in
      JSONLogHandler(label: label, wallClock: { Instant(milliseconds: 1_795_168_800_123) }, write: { lines.add($0) })
    }
  }

  @Test func anEntryIsAnObjectOnOneLine() {
    let lines = Lines()
    var logger = logger(lines)
    logger[metadataKey: "request"] = "7"
    logger[metadataKey: "browser"] = "overwritten"
    logger.warning(
      "something happened",
      metadata: ["browser": "a \"b\"\nc", "list": ["x", ["deep": "y"]], "number": .stringConvertible(4)],
      source: "Here")
    #expect(
      lines.all == [
        #"{"time":"2026-11-20T10:00:00.123Z","level":"warning","label":"pcm-browser","message":"something happened","#
          + #""metadata":{"browser":"a \"b\"\nc","list":["x",{"deep":"y"}],"number":"4","request":"7"},"source":"Here"}"# + "\n"
      ])
  }

  @Test func everyEntryIsValidJSON() throws {
    let lines = Lines()
    let logger = logger(lines)
    let hostile = "\u{0}\u{1F}\u{7F}\u{2028}\r\n\t\"\\😀{}[]"
    logger.error("\(hostile)", metadata: ["\(hostile)": "\(hostile)"])
    logger.error("an error", error: Fault())
    let objects = try lines.all.map { line in
      #expect(line.count { $0.isNewline } == 1 || line.contains("\u{2028}"))
      return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(objects.first?["message"] as? String == hostile)
    #expect((objects.first?["metadata"] as? [String: String]) == [hostile: hostile])
    #expect((objects.last?["metadata"] as? [String: String]) == ["error": "an unexpected error of the type Fault"])
  }

  @Test func eachLoggerHasItsOwnLevelAndMetadata() {
    let lines = Lines()
    var (first, second) = (logger(lines), logger(lines))
    second = first
    first.logLevel = .error
    second.logLevel = .debug
    second[metadataKey: "only"] = "second"
    first.info("not this")
    second.debug("this")
    #expect(lines.all.count == 1)
    #expect(lines.all.first?.contains(#""metadata":{"only":"second"}"#) == true)
    #expect(first[metadataKey: "only"] == nil)
  }
}
