import ArgumentParser
import Testing

@testable import PCMApp

/// The address to listen on.
@Suite struct HostOptionTests {
  @Test(
    "A loopback address in any spelling needs no token, and callers name it as any",
    arguments: [
      ("[::1]", "::1"), ("::1", "::1"), ("127.0.0.2", "127.0.0.2"), ("LOCALHOST", "localhost"),
      ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1"),
    ])
  func spellings(_ host: String, _ address: String) throws {
    let settings = try ServiceOptions.parse(["--host", host]).settings(port: 0, data: nil)
    #expect(settings.host == address)
    #expect(Set(settings.hosts).isSuperset(of: ["127.0.0.1", "::1", "localhost", address]))
  }

  @Test("Another address needs a token, also with brackets", arguments: ["0.0.0.0", "[::]", "::", "[fe80::1]", "pcm.example"])
  func others(_ host: String) throws {
    let error = #expect(throws: (any Error).self) { try ServiceOptions.parse(["--host", host]) }
    #expect(
      error.map { ServiceOptions.fullMessage(for: $0) }?.contains("--host \(host) is reachable from other machines") == true)
    let settings = try ServiceOptions.parse(["--host", host, "--no-token"]).settings(port: 0, data: nil)
    #expect(!settings.hosts.contains("localhost"))
  }

  @Test("A command whose arguments cannot be read is an error, and not the overview")
  func arguments() throws {
    let error = #expect(throws: StartError.self) { try PCMBrowserCommand.requireArguments([]) }
    #expect(error?.description.hasSuffix("; mount /proc") == true)
    try PCMBrowserCommand.requireArguments(["pcm-browser"])
  }
}
