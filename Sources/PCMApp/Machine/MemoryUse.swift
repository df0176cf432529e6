import Foundation

/// The memory of the process.
enum MemoryUse {
  /// The resident memory; 0 where it cannot be read.
  static var residentBytes: Int {
    // `5120 3072 …`: the size and the resident part, in pages.
    guard let text = try? TextFile.read("/proc/self/statm"),
      let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return 0 }
    return pages * NSPageSize()
  }

  /// The memory that the process may use: that of the machine, or of its container.
  static var allowedBytes: Int {
    let machine = Int(clamping: ProcessInfo.processInfo.physicalMemory)
    return containerFiles.compactMap { try? TextFile.read($0) }.compactMap(bytes).reduce(machine, min)
  }

  /// The limits of control groups, versions 2 and 1. A container sees its own at the root.
  private static let containerFiles = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]

  /// Returns the number in such a file; nil for `max`.
  private static func bytes(_ text: String) -> Int? {
    text.split(whereSeparator: \.isNewline).first.flatMap { Int($0) }
  }
}
