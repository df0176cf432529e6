import NIOConcurrencyHelpers
import PCMScenario

/// A scenario in a file.
struct ScenarioFile: Sendable {
  /// Reads at most `limit` bytes of the file at a path.
  typealias Read = @Sendable (_ path: String, _ limit: Int) throws(StartError) -> [UInt8]

  let scenario: Scenario

  /// The path that stands for standard input, as it is displayed.
  static let standardInput = "<standard input>"

  /// - Parameter read: Reads the scenario and the manifests that it names.
  /// - Throws: ``UnreadableScenario``
  init(_ path: String, read: @escaping Read = TextFile.bytes) throws(UnreadableScenario) {
    let bytes: [UInt8]
    do throws(StartError) {
      // One byte more than the limit, so that the reader reports a file that is too large.
      let limit = ScenarioReader.sizeLimit + 1
      bytes = path == Self.standardInput ? try TextFile.standardInput(upTo: limit) : try read(path, limit)
    } catch {
      throw UnreadableScenario("expected a readable file: \(error.description)")
    }
    do throws(ScenarioErrors) {
      scenario = try ScenarioReader(readFile: { try Self.readBeside(path, $0, read) }).read(
        bytes, as: path.hasSuffix(".json") || Self.isObject(bytes, of: path) ? .json : .yaml)
    } catch {
      throw UnreadableScenario(errors: error, bytes: bytes)
    }
  }

  /// Returns the paths of the manifests that a scenario names, whether they exist or not.
  static func manifests(of path: String) -> [String] {
    let paths = NIOLockedValueBox<[String]>([])
    _ = try? ScenarioFile(path) { path, limit throws(StartError) in
      paths.withLockedValue { $0.append(path) }
      return try TextFile.bytes(of: path, upTo: limit)
    }
    // The first is the scenario itself.
    return Array(paths.withLockedValue { $0 }.dropFirst())
  }

  /// Whether standard input, which has no name, is a JSON object.
  private static func isObject(_ bytes: [UInt8], of path: String) -> Bool {
    path == standardInput && bytes.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
  }

  /// One byte more than the API accepts, so that the API reports a manifest that is too large.
  private static let manifestLimit = 1_048_577

  /// Reads a file by its path relative to the scenario's folder.
  private static func readBeside(_ path: String, _ name: String, _ read: Read) throws(StartError) -> [UInt8] {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    return try read(name.hasPrefix("/") ? name : folder + name, manifestLimit)
  }
}

/// The error for a file that is not a scenario.
struct UnreadableScenario: Error {
  let errors: ScenarioErrors
  /// The content of the file.
  let bytes: [UInt8]
}

extension UnreadableScenario {
  /// - Parameter detail: The error of the file itself.
  init(_ detail: String) {
    self.init(errors: ScenarioErrors([ScenarioError(detail, at: SourcePlace(line: 1, column: 1))]), bytes: [])
  }
}

/// Finds scenario files.
enum ScenarioFiles {
  private static let endings = [".yaml", ".yml", ".json"]

  /// Returns the files among the arguments and all scenario files in and below folders, in the order of the arguments and
  /// of their paths, without duplicates.
  ///
  /// - Throws: ``StartError`` for a missing path, and when there is no scenario file.
  static func find(_ paths: [String]) throws -> [String] {
    var found: [String] = []
    var seen: Set<String> = []
    for path in paths {
      for file in try files(at: path) where seen.insert(file).inserted { found.append(file) }
    }
    guard !found.isEmpty else {
      throw StartError(
        description: "no scenario file in \(paths.joined(separator: ", ")); scenario files end with .yaml, .yml, or .json")
    }
    return found
  }

  private static func files(at path: String) throws(StartError) -> [String] {
    guard path != "-" else { return [ScenarioFile.standardInput] }
    return try FolderFiles.find(path, kind: "scenario files") { path in
      !path.hasSuffix(".schema.json") && endings.contains { path.hasSuffix($0) }
    }
  }
}
