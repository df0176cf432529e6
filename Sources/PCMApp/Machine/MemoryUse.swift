import Foundation

/// The memory of the process.
enum MemoryUse {
  /// The limit for the bytes of a file of the system.
  private static let fileLimit = 65_536

  /// The resident memory; 0 where it cannot be read.
  static var residentBytes: Int {
    // `5120 3072 …`: the size and the resident part, in pages.
    guard let text = try? TextFile.read("/proc/self/statm", upTo: fileLimit),
      let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return 0 }
    return pages * NSPageSize()
  }

  /// The memory that the process may use: that of the machine, or of its container.
  static var allowedBytes: Int {
    let machine = Int(clamping: ProcessInfo.processInfo.physicalMemory)
    let files = limitFiles(groups: (try? TextFile.read("/proc/self/cgroup", upTo: fileLimit)) ?? "")
    return files.compactMap { try? TextFile.read($0, upTo: fileLimit) }.compactMap(bytes).reduce(machine, min)
  }

  /// Returns the files with the limits of control groups, versions 2 and 1: those of the process's groups, and of each group
  /// around them. A container usually sees its own group as the root.
  ///
  /// - Parameter groups: The text of `/proc/self/cgroup`, such as `0::/system.slice/pcm.service`.
  static func limitFiles(groups: String) -> [String] {
    let roots = [("", "/sys/fs/cgroup", "memory.max"), ("memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes")]
    return roots.flatMap { controller, root, file in
      let lines = groups.split(whereSeparator: \.isNewline).map {
        $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      }
      // A hierarchy of version 1 can have several controllers. That of version 2 has no list of them.
      let line = lines.first {
        $0.count == 3 && (controller.isEmpty ? $0[1].isEmpty : $0[1].split(separator: ",").contains { $0 == controller })
      }
      let path = line?[2] ?? ""
      let folders = path.split(separator: "/").reduce(into: [root]) { $0.append("\($0[$0.count - 1])/\($1)") }
      return folders.map { "\($0)/\(file)" }
    }
  }

  /// Returns the number in such a file; nil for `max`.
  static func bytes(_ text: String) -> Int? {
    text.split(whereSeparator: \.isNewline).first.flatMap { Int($0) }
  }
}
