import Foundation
import Testing

@testable import PCMApp

/// Lines for a reader that may be slow or gone.
@Suite struct ReadyWriteTests {
  private static let line = [UInt8](repeating: UInt8(ascii: "x"), count: 4_096)

  @Test func aFullPipeReceivesNothingAndNothingWaits() throws {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    var count = 0
    while writeIfReady(Self.line, to: descriptor) { count += 1 }
    #expect(count >= 1)
    #expect(try pipe.fileHandleForReading.read(upToCount: Self.line.count * count)?.count == Self.line.count * count)
    #expect(writeIfReady(Self.line, to: descriptor))
  }

  @Test func aPipeWithoutAReaderIsNotWritten() throws {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    #expect(!writeIfReady(Self.line, to: pipe.fileHandleForWriting.fileDescriptor))
  }
}
