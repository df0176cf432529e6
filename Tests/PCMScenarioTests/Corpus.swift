import Foundation
import PCMApp
import PCMScenario
import PCMURL

/// The scenario files of the repository.
enum Corpus {
  static let folder = URL(filePath: #filePath).appending(path: "../../../Fixtures/scenarios").standardized
  /// Reading the public suffix list takes longer than most scenarios.
  static let sites = SiteParser(publicSuffixList: .builtIn())

  static func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }.sorted()
  }

  static func bytes(of file: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: file))) }

  /// Reads a scenario that may refer to other files of the folder.
  static func scenario(_ bytes: [UInt8]) throws -> Scenario { try ScenarioReader(readFile: Self.bytes).read(bytes) }
}
