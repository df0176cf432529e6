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
      (
        EINVAL,
        "Cannot listen on 192.0.2.1, port 80: Invalid argument. Choose another address with --host, such as 127.0.0.1, or "
          + "another port with --port."
      ),
      (EMFILE, "Cannot listen on 192.0.2.1, port 80: Too many open files. Raise the limit on open files with ulimit -n."),
    ] as [(Int32, String)])
  func systemErrorsHaveDescriptions(_ code: Int32, _ words: String) {
    let failure = ListenError(IOError(errnoCode: code, reason: "bind"), host: "192.0.2.1", port: 80)
    #expect(failure?.detail == words)
  }

  @Test(arguments: 1...133 as ClosedRange<Int32>)
  func eachSystemErrorHasADescription(_ code: Int32) {
    let failure = ListenError(IOError(errnoCode: code, reason: "bind"), host: "address", port: 80)
    #expect(failure.map { $0.detail.contains("address") || $0.detail.contains("80") } == true)
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
