import Foundation
import ServiceSupport
import Testing

@testable import PCMApp

@Suite struct OutputFileTests {
  @Test(arguments: [nil, "what was there before, and longer"])
  func existingContentIsReplaced(_ before: String?) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/report.xml"
    try before?.write(toFile: path, atomically: false, encoding: .utf8)
    let file = try OutputFile(path: path)
    // A check that ends early leaves the existing file, or none.
    #expect(FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } == before)
    try file.write("new")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
  }

  @Test(arguments: [nil, "kept"])
  func withoutAWriteTheFileIsUnchanged(_ before: String?) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/report.xml"
    try before?.write(toFile: path, atomically: false, encoding: .utf8)
    _ = try OutputFile(path: path)
    #expect(FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } == before)
  }

  @Test(arguments: ["", "/missing/report.xml"])
  func anUnwritableFileIsAnError(_ name: String) throws {
    let folder = try TemporaryFolder()
    let failure = try #require(throws: StartError.self) { try OutputFile(path: folder.path + name) }
    #expect(failure.description.hasPrefix("cannot write \(folder.path)\(name): "))
  }

  #if os(Linux)
    @Test func aFullDeviceIsAnError() throws {
      let file = try OutputFile(path: "/dev/full")
      #expect(throws: StartError.self) { try file.write("new") }
      #expect(FileManager.default.fileExists(atPath: "/dev/full"))
    }
  #endif
}
