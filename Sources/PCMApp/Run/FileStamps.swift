import Foundation

/// The modification times and sizes of the scenario files in arguments, to notice changes.
struct FileStamps: Equatable {
  private let arguments: [String]
  private let stamps: [String: Stamp]

  private struct Stamp: Equatable {
    let time: Date?
    let size: Int?
    /// A file that an editor renames over another one has another number.
    let number: Int?
  }

  init(of arguments: [String]) {
    self.arguments = arguments
    // Each argument by itself, because one may be missing for a moment.
    let paths = arguments.flatMap { (try? ScenarioFiles.find([$0])) ?? [] }
    stamps = Dictionary(
      paths.map { path in
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (
          path,
          Stamp(
            time: attributes?[.modificationDate] as? Date, size: attributes?[.size] as? Int,
            number: attributes?[.systemFileNumber] as? Int)
        )
      }, uniquingKeysWith: { $1 })
  }

  /// Waits until a file changes, appears, or disappears, and returns its path.
  ///
  /// - Parameter pause: Waits between two looks at the files.
  func change(pause: () async throws -> Void) async throws -> String {
    while true {
      let now = FileStamps(of: arguments)
      let changed = Set(stamps.keys).union(now.stamps.keys).filter { stamps[$0] != now.stamps[$0] }
      if let first = changed.min() { return first }
      try await pause()
    }
  }
}
