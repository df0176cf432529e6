import PCMScenario

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A scenario in a file.
struct ScenarioFile: Sendable {
  private let path: String
  private let bytes: [UInt8]
  let scenario: Scenario

  /// - Throws: ``UnreadableScenario``
  init(_ path: String) throws(UnreadableScenario) {
    guard let data = FileManager.default.contents(atPath: path) else {
      let fault = ScenarioFault("expected a file that can be read", at: SourcePlace(line: 1, column: 1))
      throw UnreadableScenario(faults: ScenarioFaults([fault]), bytes: [])
    }
    try self.init(path, bytes: Array(data))
  }

  private init(_ path: String, bytes: [UInt8]) throws(UnreadableScenario) {
    self.path = path
    self.bytes = bytes
    do throws(ScenarioFaults) {
      scenario = try ScenarioReader(readFile: { try Self.readBeside(path, $0) }).read(bytes)
    } catch {
      throw UnreadableScenario(faults: error, bytes: bytes)
    }
  }

  /// Writes what is in the place of what a scenario expected, and reads it again.
  func updated(_ changes: [ScenarioUpdate.Change]) throws -> ScenarioFile {
    let new: [UInt8]
    do throws(ScenarioFaults) {
      new = try ScenarioUpdate(bytes).applying(changes)
    } catch {
      throw UnreadableScenario(faults: error, bytes: bytes)
    }
    let file = try ScenarioFile(path, bytes: new)
    try TextFile.write(String(decoding: new, as: UTF8.self), to: path, isSecret: false)
    return file
  }

  /// Reads a file that the scenario names, seen from the scenario's folder.
  private static func readBeside(_ path: String, _ name: String) throws -> [UInt8] {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    return Array(try Data(contentsOf: URL(fileURLWithPath: name.hasPrefix("/") ? name : folder + name)))
  }
}

/// A file that is no scenario, or that cannot be updated, and why.
struct UnreadableScenario: Error {
  let faults: ScenarioFaults
  /// What is in it.
  let bytes: [UInt8]
}
