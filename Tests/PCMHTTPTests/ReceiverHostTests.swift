import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Testing

@testable import PCMHTTP

/// The hosts of requests to the report endpoint, which its memory of duplicates keeps.
@Suite struct ReceiverHostTests {
  private static let path = "/.well-known/private-click-measurement/trigger-attribution/12"

  @Test("a host that is longer than a name can be is an error", arguments: [(255, 204), (256, 400), (79_000, 400)])
  func length(_ count: Int, _ status: Int) async throws {
    let authority = String(repeating: "x", count: count) + ":8443"
    let head = HTTPRequest(method: .get, scheme: "https", authority: authority, path: Self.path, headerFields: [:])
    let response = try await ReceiverAPI.api().router().buildResponder().respond(
      to: Request(head: head, body: RequestBody(buffer: ByteBuffer())), context: APIContext(logger: Logger(label: "test")))
    #expect(response.status.code == status)
  }
}
