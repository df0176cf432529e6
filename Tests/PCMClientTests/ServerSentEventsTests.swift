import Foundation
import Testing

@testable import PCMClient

/// The grammar of event streams, in chunks of any size.
@Suite struct ServerSentEventsTests {
  private static let text = """
    : no events

    id: 1
    event: click-stored
    data: {"a":1}

    event: reader-too-slow
    data: one
    data:  two

    id: 3

    data

    retry: 5
    id:4
    data:x


    """
  private static let messages = [
    ServerSentEvents.Message(id: "1", event: "click-stored", data: Data(#"{"a":1}"#.utf8)),
    ServerSentEvents.Message(id: nil, event: "reader-too-slow", data: Data("one\n two".utf8)),
    ServerSentEvents.Message(id: nil, event: nil, data: Data()),
    ServerSentEvents.Message(id: "4", event: nil, data: Data("x".utf8)),
  ]

  @Test("every line ending at every chunk boundary", arguments: ["\n", "\r\n", "\r"])
  func grammar(_ lineEnd: String) {
    let bytes = Array(Self.text.replacing("\n", with: lineEnd).utf8)
    for size in 1...bytes.count {
      var reader = ServerSentEvents()
      var messages: [ServerSentEvents.Message] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        messages += reader.read(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(messages == Self.messages, "in pieces of \(size)")
    }
  }

  @Test("an incomplete message is ignored")
  func incomplete() {
    var reader = ServerSentEvents()
    #expect(reader.read(Array("id: 1\ndata: x\n".utf8)).isEmpty)
    #expect(reader.read(Array("\n".utf8)).count == 1)
  }
}
