import Foundation
import NIOCore
import Testing

@testable import PCMHTTP

/// The descriptions of errors that prevent a server from listening.
@Suite struct ListenErrorTests {
  @Test(
    arguments: [
      (EADDRINUSE, "Port 80 is in use. Choose another with --port, or 0 for any free port."),
      (
        EACCES,
        "Port 80 is reserved for privileged processes. Choose one from 1024 on with --port, or 0 for any free port."
      ),
      (EADDRNOTAVAIL, "192.0.2.1 is not an address of this machine. Choose one that is with --host, such as 127.0.0.1."),
      (EMFILE, nil),
    ] as [(Int32, String?)])
  func systemErrorsHaveDescriptions(_ code: Int32, _ words: String?) {
    let failure = ListenError(IOError(errnoCode: code, reason: "bind"), host: "192.0.2.1", port: 80)
    #expect(failure?.detail == words)
  }

  @Test func otherErrorsAreRethrown() async {
    await #expect(throws: CancellationError.self) {
      try await listening(on: "127.0.0.1", port: 80) { throw CancellationError() }
    }
    await #expect(throws: ListenError.portInUse(80)) {
      try await listening(on: "127.0.0.1", port: 80) { throw IOError(errnoCode: EADDRINUSE, reason: "bind") }
    }
  }
}
