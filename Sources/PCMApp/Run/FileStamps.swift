import Foundation

/// The modification times and sizes of the scenario files in arguments and of the manifests that they name, to notice changes.
struct FileStamps {
  private let arguments: [String]
  private let manifests: [String]
  private let stamps: [String: Stamp]

  private struct Stamp: Equatable {
    let time: Date?
    let size: Int?
    /// The inode number, which changes when an editor replaces the file by renaming.
    let number: Int?
  }

  init(of arguments: [String]) {
    self.init(of: arguments, manifests: Self.scenarios(in: arguments).flatMap(ScenarioFile.manifests))
  }

  private init(of arguments: [String], manifests: [String]) {
    (self.arguments, self.manifests) = (arguments, manifests)
    stamps = Dictionary(
      (Self.scenarios(in: arguments) + manifests).map { path in
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (
          path,
          Stamp(
            time: attributes?[.modificationDate] as? Date, size: attributes?[.size] as? Int,
            number: attributes?[.systemFileNumber] as? Int)
        )
      }, uniquingKeysWith: { $1 })
  }

  /// Finds the files of each argument by itself, because one may be missing for a moment.
  private static func scenarios(in arguments: [String]) -> [String] {
    arguments.flatMap { (try? ScenarioFiles.find([$0])) ?? [] }
  }

  /// Waits until a file changes, appears, or disappears, and returns its path.
  ///
  /// - Parameter pause: Waits between two looks at the files.
  func change(pause: () async throws -> Void) async throws -> String {
    while true {
      let now = FileStamps(of: arguments, manifests: manifests)
      let changed = Set(stamps.keys).union(now.stamps.keys).filter { stamps[$0] != now.stamps[$0] }
      if let first = changed.min() { return first }
      try await pause()
    }
  }
}
