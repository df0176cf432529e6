import Foundation
import Testing

/// Commands whose standard output cannot be written.
@Suite(.timeLimit(.minutes(10))) struct OutputErrorTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures").path

  private static let commands = [
    "manifest @/manifests/news-reader/Info.plist", "manifest --json @/manifests/news-reader/Info.plist", "check --list",
    "check --list --json", "run --schema", "run @/scenarios/002-valid-attributes.yaml",
    "run --json @/scenarios/002-valid-attributes.yaml", "verify @/device/vectors/postback-v3.0-a.json",
    "verify --json @/device/vectors/postback-v3.0-a.json", "demo",
  ]

  private func failure(of command: String, _ redirection: String) async throws -> FailedCommand {
    let arguments = command.split(separator: " ").map { String($0).replacing("@", with: Self.fixtures) }
    return try await FailedCommand(arguments, redirection: redirection)
  }

  #if os(Linux)
    @Test(arguments: commands) func aFullDeviceIsAnError(_ command: String) async throws {
      let failed = try await failure(of: command, ">/dev/full")
      #expect(failed.status == 2)
      #expect(failed.message == "pcm-browser: cannot write to standard output: No space left on device\n")
    }
  #endif

  @Test(arguments: commands) func closedOutputIsAnError(_ command: String) async throws {
    let failed = try await failure(of: command, ">&-")
    #expect(failed.status == 2)
    #expect(failed.message == "pcm-browser: cannot write to standard output: Bad file descriptor\n")
  }
}
