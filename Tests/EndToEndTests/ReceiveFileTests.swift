import Foundation
import ServiceSupport
import Testing

/// The files that `receive` writes.
@Suite(.timeLimit(.minutes(10))) struct ReceiveFileTests {
  @Test func aPortInUseLeavesTheFilesOfTheOtherReceiver() async throws {
    try await ReceiveStage.run { stage in
      let folder = stage.files.path
      let files = try Self.contents(of: folder)
      #expect(files.keys.contains("ca.pem"))
      let failed = try await FailedCommand(
        ["receive", "--port", String(stage.process.port)] + ReceiveStage.arguments(stage.files)
          + ["--key", "other.example=\(folder)/new-key.pem", "--reports", "\(folder)/new-reports.jsonl"])
      #expect(failed.status == 2)
      #expect(failed.message.contains("in use"), "\(failed.message)")
      #expect(try Self.contents(of: folder) == files)
    }
  }

  @Test func anOptionThatCannotBeUsedLeavesNoFileOfReports() async throws {
    let folder = try TemporaryFolder()
    let failed = try await FailedCommand([
      "receive", "--port", "0", "--key-bits", "2048", "--reports", "\(folder.path)/reports.jsonl", "--certificate",
      "\(folder.path)/missing.pem", "--private-key", "\(folder.path)/missing.pem",
    ])
    #expect(failed.status == 2)
    #expect(failed.message.contains("missing.pem"), "\(failed.message)")
    #expect(try Self.contents(of: folder.path).isEmpty)
  }

  @Test func missingKeysAppearOnceItListens() async throws {
    let more: (TemporaryFolder) -> [String] = { files in
      ["--key", "a.example=\(files.path)/new.pem", "--key", "b.example=\(files.path)/new.pem"]
    }
    try await ReceiveStage.run(with: more) { stage in
      let files = try Self.contents(of: stage.files.path)
      #expect(Set(files.keys) == ["ca.pem", "key.pem", "new.pem", "reports.jsonl"])
      #expect(files["new.pem"]?.starts(with: Data("-----BEGIN ".utf8)) == true)
    }
  }

  private static func contents(of folder: String) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return Dictionary(
      uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: "\(folder)/\($0)") ?? Data()) })
  }
}
