import Foundation
import PCMClient
import Testing

/// The service that a test starts, in place of `pcm-browser exec`.
@Suite struct LocalServiceTests {
  @Test("a test starts a service and stops it")
  func start() async throws {
    let pcm = try await PCM.start(["--max-browsers", "2"])
    let browser = try await PCM.browser("first", on: pcm.service)
    #expect(try await browser.state().storage == .ephemeral)
    pcm.stop()
    let error = await #expect(throws: ServiceError.self) { try await pcm.service.checkHealth() }
    #expect(error?.code == "unreachable")
  }

  @Test("a service that does not start says why")
  func wrongOption() async throws {
    let error = await #expect(throws: ServiceError.self) { try await PCM.start(["--no-such-option"]) }
    #expect(error?.code == "not-started")
    #expect(error?.description.contains("Unknown option '--no-such-option'") == true, "\(String(describing: error))")
  }
}
