import Foundation
import PCMCore
import PCMVerify
import ServiceSupport
import Testing

@testable import PCMApp

/// Files of any size, and gzip.
@Suite struct ByteStreamTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func file(_ bytes: [UInt8]) throws -> String {
    let path = "\(folder.path)/file"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func content(_ bytes: [UInt8]) throws -> String {
    let stream = try ByteStream(path: file(bytes))
    var content: [UInt8] = []
    while case let part = try stream.next(), !part.isEmpty { content += part }
    return String(decoding: content, as: UTF8.self)
  }

  /// Two members, with a line each.
  private static let members =
    Base64.decode("H4sIAAAAAAACA6tWSlSyMqzlAgBGo+h0CAAAAB+LCAAAAAAAAgOrVkpSsjKq5QIAsW868AgAAAA=") ?? []

  @Test func gzipIsDecompressed() throws {
    #expect(try content(Self.members) == "{\"a\":1}\n{\"b\":2}\n")
    #expect(try content(Self.members + [0, 0, 0]) == "{\"a\":1}\n{\"b\":2}\n")
    #expect(Inflater.content(of: Self.members, upTo: 16)?.count == 16)
    #expect(
      Inflater.content(of: Self.members, upTo: 15) == nil
        && Inflater.content(of: Array(Self.members.prefix(27)), upTo: 16) == nil)
    #expect(try content([0x1E, 0x8B]) == "\u{1E}\u{FFFD}")
  }

  @Test("Incomplete and damaged gzip is an error", arguments: [(27, "ends too early"), (5, "ends too early"), (20, "")])
  func damage(_ count: Int, _ reason: String) throws {
    let bytes = reason.isEmpty ? Self.members.enumerated().map { $0 == 20 ? $1 ^ 1 : $1 } : Array(Self.members.prefix(count))
    let error = #expect(throws: StartError.self) { try content(bytes) }
    #expect(error?.description.contains(reason.isEmpty ? "is damaged" : reason) == true)
  }

  @Test func anErrorOfTheInputComesAfterTheResults() async {
    var (number, results) = (0, [Int]())
    await #expect(throws: StartError.self) {
      try await OrderedWork.perform { () throws -> Int? in
        number += 1
        guard number < 5 else { throw StartError(description: "end") }
        return number
      } work: {
        $0 * 10
      } finish: {
        results.append($0)
      }
    }
    #expect(results == [10, 20, 30, 40])
  }

  @Test("Of a long line, as many bytes are read as an item may have, and one more")
  func longLines() throws {
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20)
    let bytes = Array("{\"a\":1}\n\n".utf8) + line + Array("\n{\"b\":2}".utf8)
    var reader = SignedItemReader(files: [try file(bytes)], areSeveral: false)
    let items = try #require(try reader.next())
    #expect(items.map(\.line) == [1, 3, 4])
    #expect(items.map(\.bytes.count) == [7, 1_048_577, 7])
    #expect(reader.areSeveral)
    #expect(try reader.next() == nil)
  }

  @Test("A text that Docker divides into many lines has at most the size of an item, and another part")
  func longSplitLines() throws {
    let part = #"{"log":"\#(String(repeating: "x", count: 16_384))","stream":"stdout"}\#n"#
    let bytes = Array((String(repeating: part, count: 100) + #"{"log":"end\n","stream":"stdout"}"# + "\n" + part).utf8)
    var reader = SignedItemReader(files: [try file(bytes)], areSeveral: false)
    let items = [try reader.next(), try reader.next(), try reader.next()]
    #expect(items.map { $0?.map(\.line) } == [[1], [102], nil])
    let sizes = items.compactMap { $0?.first?.bytes.count }
    #expect(sizes.map { $0 / 16_384 } == [65, 1])
  }
}
