import Foundation
import FoundationNetworking
import Testing

@testable import PCMClient

/// Responses of HTTP/1.1 in pieces of any size.
@Suite struct HTTPResponseReaderTests {
  private struct Answer: Equatable {
    var status: Int?
    var type: String?
    var body = ""
    var isComplete = false
    var endsWithConnection = false
  }

  private func read(_ text: String, inPiecesOf size: Int) throws -> Answer {
    var reader = HTTPResponseReader(url: URL(fileURLWithPath: "/"))
    var answer = Answer()
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      try reader.read(bytes[start..<min(start + size, bytes.count)]) { part in
        switch part {
        case .head(let head): (answer.status, answer.type) = (head.statusCode, head.value(forHTTPHeaderField: "Content-Type"))
        case .bytes(let data): answer.body += String(decoding: data, as: UTF8.self)
        }
      }
    }
    (answer.isComplete, answer.endsWithConnection) = (reader.isComplete, reader.endsWithConnection)
    return answer
  }

  @Test(
    "a response with a length, in chunks, and until the end of the connection",
    arguments: [
      ("HTTP/1.1 200 OK\r\ncontent-type: a/b\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", true, false),
      (
        "HTTP/1.1 201 Created\r\nContent-Type:a/b\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
        201, "hello", true, false
      ),
      ("HTTP/1.1 404 Not Found\r\ncontent-type: a/b\r\n\r\nhello", 404, "hello", false, true),
      ("HTTP/1.1 204 No Content\r\ncontent-type: a/b\r\n\r\n", 204, "", true, false),
      ("HTTP/1.1 200 OK\r\ncontent-type: a/b\r\ncontent-length: 9\r\n\r\nhello", 200, "hello", false, false),
    ])
  func framing(text: String, status: Int, body: String, isComplete: Bool, endsWithConnection: Bool) throws {
    let expected = Answer(
      status: status, type: "a/b", body: body, isComplete: isComplete, endsWithConnection: endsWithConnection)
    for size in 1...text.utf8.count { #expect(try read(text, inPiecesOf: size) == expected, "in pieces of \(size)") }
  }

  @Test(
    "anything except a response is an error",
    arguments: [
      "SSH-2.0\r\n\r\n", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-2\r\nhe\r\n", "HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nhello",
    ])
  func malformed(text: String) {
    #expect(throws: URLError.self) { try read(text, inPiecesOf: 7) }
  }
}
