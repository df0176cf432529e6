import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Testing

@testable import PCMHTTP

/// The hosts of requests to the report endpoint, which its memory of duplicates keeps.
@Suite struct ReceiverHostTests {
  private static let path = "/.well-known/private-click-measurement/trigger-attribution/12"

  @Test("a host that is longer than a name can be is an error", arguments: [(253, 204), (254, 400), (79_000, 400)])
  func length(_ count: Int, _ status: Int) async throws {
    let label = String(repeating: "x", count: 49) + "."
    let authority = String(String(repeating: label, count: count / 50 + 1).prefix(count)) + ":8443"
    let head = HTTPRequest(method: .get, scheme: "https", authority: authority, path: Self.path, headerFields: [:])
    let response = try await ReceiverAPI.api().router().buildResponder().respond(
      to: Request(head: head, body: RequestBody(buffer: ByteBuffer())), context: APIContext(logger: Logger(label: "test")))
    #expect(response.status.code == status)
  }
}
