import Foundation
import Logging
import ServiceSupport
import Testing

@testable import PCMApp

@Suite struct RecordingFolderTests {
  @Test(
    arguments: [
      ("news", [], "news"), ("news", ["news.yaml"], "news-2"), ("news", ["news.yaml", "news-2-app-1.plist"], "news-3"),
      ("news", ["news-app-1.plist"], "news-2"), (".news", [], "_.news"),
      ("tests/ads.py::test[https://a.example-ü]", [], "tests_ads.py__test_https___a.example-ü_"), ("../x y", [], "_.._x_y"),
      ("a/b", ["a_b.yaml"], "a_b-2"),
    ] as [(String, [String], String)])
  func aRecordingHasSeparateFiles(_ browser: String, _ existing: [String], _ name: String) throws {
    let folder = try TemporaryFolder()
    for file in existing { try Data("old".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(file)")) }
    #expect(try RecordingFolder(folder.path).create(browser) == name)
    #expect(FileManager.default.fileExists(atPath: "\(folder.path)/\(name).yaml"))
  }

  @Test func onlyTheOwnerReadsARecording() throws {
    let folder = try TemporaryFolder()
    let files = try RecordingFolder(folder.path).files(logger: Logger(label: "test"))
    let name = try files.create("news")
    try files.write("\(name)-app-1.plist", [0])
    try files.write("\(name).yaml", [0])
    for ending in [".yaml", "-app-1.plist"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)\(ending)")
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(ending)")
    }
  }
}
