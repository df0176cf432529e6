import Foundation
import ServiceSupport
import Testing

@testable import PCMApp

/// Files that the user names, as they are read and written.
@Suite struct TextFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  private func text(_ name: String) throws -> String { try TextFile.read(path(name), upTo: 100) }

  @Test func aWriteReplacesAFileAndLeavesNoOther() throws {
    for text in ["old and longer", "new"] {
      try TextFile.write(text, to: path("file"), isSecret: true)
      #expect(try self.text("file") == text)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    let attributes = try FileManager.default.attributesOfItem(atPath: path("file"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func aPreparedFileAppearsWithItsCommit() throws {
    try TextFile.write("old", to: path("file"), isSecret: false)
    let (kept, dropped) = (
      try PreparedFile("new", for: path("file"), isSecret: false),
      try PreparedFile("other", for: path("other"), isSecret: false)
    )
    #expect(try text("file") == "old")
    #expect(!TextFile.exists(path("other")))
    try kept.commit()
    dropped.discard()
    try dropped.commit()
    kept.discard()
    #expect(try text("file") == "new")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
  }

  /// A link in a folder to a link in the folder above it.
  @Test func aSymbolicLinkStaysAndItsTargetIsWritten() throws {
    try FileManager.default.createDirectory(atPath: path("below"), withIntermediateDirectories: false)
    try TextFile.write("old", to: path("target"), isSecret: true)
    for (link, target) in [("below/link", "../middle"), ("middle", path("target"))] {
      try FileManager.default.createSymbolicLink(atPath: path(link), withDestinationPath: target)
    }
    try TextFile.write("new", to: path("below/link"), isSecret: true)
    #expect(try text("target") == "new")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("below/link")) == "../middle")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("middle")) == path("target"))
  }

  @Test(arguments: [("two", "one"), ("two", "missing")]) func aLinkThatLeadsToNoFileIsAnError(_ second: (String, String)) throws
  {
    for (link, target) in [("one", "two"), second] {
      try FileManager.default.createSymbolicLink(atPath: path(link), withDestinationPath: target)
    }
    #expect(throws: StartError.self) { try TextFile.write("new", to: path("one"), isSecret: false) }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("one")) == "two")
  }

  @Test(.timeLimit(.minutes(1))) func aPipeIsWrittenAndNotReplaced() throws {
    #expect(mkfifo(path("pipe"), 0o600) == 0)
    // Opening for reading and writing does not wait for the other side.
    let reader = try #require(FileHandle(forUpdatingAtPath: path("pipe")))
    try TextFile.write("new", to: path("pipe"), isSecret: false)
    #expect(try reader.read(upToCount: 3) == Data("new".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["pipe"])
  }

  /// A file without blocks on the disk, which would take long to read.
  @Test func aFileBeyondTheLimitIsAnErrorThatNamesTheLimit() throws {
    #expect(FileManager.default.createFile(atPath: path("large"), contents: nil))
    let file = try #require(FileHandle(forWritingAtPath: path("large")))
    try file.truncate(atOffset: 3 << 30)
    try file.close()
    let failure = try #require(throws: StartError.self) { try TextFile.contents(path("large"), upTo: 1_000) }
    #expect(failure.description == "\(path("large")) is larger than 1000 bytes")
    try TextFile.write("exact", to: path("exact"), isSecret: false)
    #expect(try TextFile.contents(path("exact"), upTo: 5) == Array("exact".utf8))
  }

  @Test func aNewFileThatIsNotKeptIsRemoved() throws {
    try TextFile.write("old", to: path("old"), isSecret: false)
    for (name, isKept) in [("old", false), ("new", false), ("kept", true)] {
      let file = try LineFile(path: path(name))
      try file.append("line")
      if isKept { file.commit() }
      file.discard()
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["kept", "old"])
    #expect(try text("old") == "oldline\n")
  }

  #if os(Linux)
    @Test func aFailedLineIsAnError() throws {
      let file = try LineFile(path: "/dev/full")
      let failure = try #require(throws: StartError.self) { try file.append("line") }
      #expect(failure.description == "cannot write /dev/full: No space left on device")
    }
  #endif
}
