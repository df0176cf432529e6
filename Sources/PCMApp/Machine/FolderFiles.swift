import Foundation

/// The files that an argument names: a file, or all files in and below a folder.
enum FolderFiles {
  static func isFolder(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path + "/.") }

  /// Returns the path of a file itself, and for a folder the paths of the files in and below it, sorted, without hidden files
  /// and folders.
  ///
  /// - Parameters:
  ///   - kind: The kind of files, in the plural, for the error of a missing path.
  ///   - isIncluded: Whether a path below a folder names a file to include.
  static func find(
    _ path: String, kind: String, where isIncluded: (String) -> Bool = { _ in true }
  ) throws(StartError) -> [String] {
    guard FileManager.default.fileExists(atPath: path) else {
      throw StartError(description: "no such file or folder: \(path); name \(kind), or folders with them")
    }
    guard isFolder(path) else { return [path] }
    guard let below = try? FileManager.default.subpathsOfDirectory(atPath: path) else {
      throw StartError(description: "cannot read the folder \(path); check its permissions")
    }
    let folder = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    return below.filter { !isHidden($0) && isIncluded($0) }.sorted().map { folder == "/" ? "/" + $0 : "\(folder)/\($0)" }
      .filter { !isFolder($0) }
  }

  private static func isHidden(_ path: String) -> Bool { path.split(separator: "/").contains { $0.hasPrefix(".") } }
}
