import Foundation

/// An incremental parser of event streams (HTML Standard, section 9.2.6).
struct ServerSentEvents {
  struct Message: Hashable {
    var id: String?
    var event: String?
    var data = Data()
  }

  private var line: [UInt8] = []
  private var endedWithReturn = false
  private var message = Message()
  private var hasData = false

  /// Returns the messages that these bytes complete.
  mutating func read(_ bytes: some Sequence<UInt8>) -> [Message] {
    var messages: [Message] = []
    for byte in bytes {
      let belongsToReturn = endedWithReturn && byte == UInt8(ascii: "\n")
      endedWithReturn = byte == UInt8(ascii: "\r")
      if belongsToReturn { continue }
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        if let complete = endLine() { messages.append(complete) }
      } else {
        line.append(byte)
      }
    }
    return messages
  }

  /// An empty line completes a message. A message without data is ignored.
  private mutating func endLine() -> Message? {
    defer { line.removeAll(keepingCapacity: true) }
    guard line.isEmpty else {
      readField()
      return nil
    }
    defer { (message, hasData) = (Message(), false) }
    return hasData ? message : nil
  }

  private mutating func readField() {
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value.removeFirst() }
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "id": message.id = String(decoding: value, as: UTF8.self)
    case "event": message.event = String(decoding: value, as: UTF8.self)
    case "data":
      if hasData { message.data.append(UInt8(ascii: "\n")) }
      message.data.append(contentsOf: value)
      hasData = true
    default: break  // A comment, which keeps the connection alive, or an unused field.
    }
  }
}
