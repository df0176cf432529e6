import Foundation

/// The tree that this test file lies in, as it is on disk.
struct Repository {
  let root: URL
  /// The files that are tracked or about to be: relative paths, sorted, without ignored files.
  let paths: [String]

  init() async throws {
    root = try Repository.findRoot(from: #filePath)
    paths = try await Repository.listWithGit(root) ?? Repository.listByWalking(root)
  }

  func file(_ path: String) throws -> SourceFile {
    let data = try Data(contentsOf: root.appending(path: path))
    return SourceFile(path, String(decoding: data, as: UTF8.self))
  }

  /// The Swift files in a folder of either package.
  func swiftFiles(under folder: String) throws -> [SourceFile] {
    try paths.filter { SourceFile($0, "").isUnder(folder) && $0.hasSuffix(".swift") }.map(file)
  }

  /// Every file that is text: without a null byte in its first 8,000, as git decides.
  func textFiles() throws -> [SourceFile] {
    try paths.compactMap { path in
      let data = try Data(contentsOf: root.appending(path: path))
      return data.prefix(8_000).contains(0) ? nil : SourceFile(path, String(decoding: data, as: UTF8.self))
    }
  }

  /// Symbolic links are resolved first: a package elsewhere may have linked this folder in.
  private static func findRoot(from file: String) throws -> URL {
    var folder = URL(fileURLWithPath: file).resolvingSymlinksInPath().deletingLastPathComponent()
    while folder.path != "/" {
      let manifest = try? String(contentsOf: folder.appending(path: "Package.swift"), encoding: .utf8)
      let core = folder.appending(path: "Sources/PCMCore").path
      if manifest?.contains("name: \"pcm-browser\"") == true, FileManager.default.fileExists(atPath: core) { return folder }
      folder.deleteLastPathComponent()
    }
    throw RootNotFound(file: file)
  }

  private struct RootNotFound: Error {
    let file: String
  }

  /// Nil where there is no git or the tree is no checkout, as in an unpacked archive.
  private static func listWithGit(_ root: URL) async throws -> [String]? {
    let arguments = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    guard let run = try? await runProgram(arguments, in: root), run.isSuccess else { return nil }
    let listed = run.output.split(separator: "\0").map(String.init)
    return listed.filter { isRegularFile(root.appending(path: $0)) }.sorted()
  }

  private static func listByWalking(_ root: URL) throws -> [String] {
    let generated: Set<Substring> = [".build", ".git", ".swiftpm", "Package.resolved"]
    return try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { path in
      guard let top = path.split(separator: "/").first, !generated.contains(top) else { return false }
      return isRegularFile(root.appending(path: path))
    }.sorted()
  }

  private static func isRegularFile(_ url: URL) -> Bool {
    (try? url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) ?? false
  }
}
