#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Finds scenario files.
enum ScenarioFiles {
  private static let endings = [".yaml", ".yml", ".json"]

  /// Files as they are, and all scenario files in and below folders, in the order of the arguments and of their paths. A
  /// file that is named twice is there once.
  ///
  /// - Throws: ``StartFailure`` for what is not there, and when no file is found at all.
  static func find(_ paths: [String]) throws -> [String] {
    var found: [String] = []
    var seen: Set<String> = []
    for path in paths {
      for file in try files(at: path) where seen.insert(file).inserted { found.append(file) }
    }
    guard !found.isEmpty else {
      throw StartFailure(
        description: "no scenario file in \(paths.joined(separator: ", ")); they end with .yaml, .yml or .json")
    }
    return found
  }

  private static func files(at path: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: path) else {
      throw StartFailure(description: "there is no file and no folder \(path)")
    }
    guard isFolder(path) else { return [path] }
    guard let below = try? FileManager.default.subpathsOfDirectory(atPath: path) else {
      throw StartFailure(description: "cannot read the folder \(path); may you read it?")
    }
    let folder = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    return below.filter(isScenario).sorted().map { folder == "/" ? "/" + $0 : "\(folder)/\($0)" }.filter { !isFolder($0) }
  }

  private static func isFolder(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path + "/.") }

  /// Hidden files and folders belong to somebody else.
  private static func isScenario(_ path: String) -> Bool {
    !path.hasSuffix(".schema.json") && endings.contains { path.hasSuffix($0) }
      && !path.split(separator: "/").contains { $0.hasPrefix(".") }
  }
}
