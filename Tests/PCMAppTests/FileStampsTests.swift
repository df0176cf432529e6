import Foundation
import ServiceSupport
import Testing

@testable import PCMApp

/// The files that `run --watch` watches.
@Suite struct FileStampsTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try write("a", to: "a.yaml")
  }

  private func write(_ text: String, to name: String, atomically: Bool = false) throws {
    try text.write(toFile: "\(folder.path)/\(name)", atomically: atomically, encoding: .utf8)
  }

  private func expectChange(of name: String, _ change: () throws -> Void) async throws {
    let stamps = FileStamps(of: [folder.path])
    var looks = 0
    let changed = try await stamps.change {
      looks += 1
      if looks == 2 { try change() }
    }
    #expect(looks == 2 && changed == "\(folder.path)/\(name)")
  }

  @Test func aChangedFileIsNamed() async throws { try await expectChange(of: "a.yaml") { try write("longer", to: "a.yaml") } }

  @Test func aReplacedFileIsNamed() async throws {
    try await expectChange(of: "a.yaml") { try write("b", to: "a.yaml", atomically: true) }
  }

  @Test func aNewFileIsNamed() async throws { try await expectChange(of: "b.yml") { try write("b", to: "b.yml") } }

  @Test func aManifestThatAScenarioNamesIsWatched() async throws {
    try write("scenario: An app\nsteps:\n  - app: { manifest: Info.plist }\n", to: "a.yaml")
    try await expectChange(of: "Info.plist") { try write("a", to: "Info.plist") }
    try await expectChange(of: "Info.plist") { try write("longer", to: "Info.plist") }
  }

  @Test func aRemovedFileIsNamed() async throws {
    try await expectChange(of: "a.yaml") { try FileManager.default.removeItem(atPath: folder.path + "/a.yaml") }
  }
}
