import Foundation
import Logging
import NIOConcurrencyHelpers
import Testing

@testable import PCMApp

/// Outputs that fail while a service continues, and pipes without a reader.
@Suite struct ContinuedOutputTests {
  private struct Lines: LogHandler {
    var logLevel = Logger.Level.notice
    var metadata: Logger.Metadata = [:]
    let all: NIOLockedValueBox<[Logger.Metadata]>

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: Logging.LogEvent) { all.withLockedValue { $0.append(event.metadata ?? [:]) } }
  }

  @Test func onlyTheFirstFailureIsLogged() {
    let lines = NIOLockedValueBox<[Logger.Metadata]>([])
    let output = ContinuedOutput(logger: Logger(label: "test") { _ in Lines(all: lines) })
    var writes = 0
    for fails in [false, true, true, false] {
      output.perform {
        writes += 1
        if fails { throw StartError(description: "cannot write reports.jsonl: No space left on device") }
      }
    }
    #expect(writes == 4)
    #expect(lines.withLockedValue { $0 } == [["detail": "cannot write reports.jsonl: No space left on device"]])
  }

  @Test func aPipeWithoutAReaderIsNoError() throws {
    // Without this, the signal of the write would end the process.
    _ = signal(SIGPIPE, SIG_IGN)
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    try StandardOutput.write("text", to: pipe.fileHandleForWriting.fileDescriptor)
  }
}
