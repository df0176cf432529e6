import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The pages of the executable and its libraries in memory.
enum ExecutablePages {
  /// Unmaps the pages of code that the start of the service used. The kernel maps each again, from its page cache, when it
  /// is executed next.
  ///
  /// Linux maps 64 KB around each function that runs for the first time, so a start leaves most of the code mapped. Other
  /// systems need no call.
  static func unmap() {
    #if os(Linux)
      // The size of the file is unknown before the last read.
      guard let file = FileHandle(forReadingAtPath: "/proc/self/maps"), let bytes = try? file.read(upToCount: 1 << 20)
      else { return }
      for mapping in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
        // `55d0c0a00000-55d0c1e93000 r-xp 00230000 fe:00 1234 /usr/bin/pcm-browser`
        let fields = mapping.split(separator: " ", omittingEmptySubsequences: true)
        let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard fields.count > 5, fields[1] == "r-xp", fields[5].hasPrefix("/"), bounds.count == 2 else { continue }
        madvise(UnsafeMutableRawPointer(bitPattern: bounds[0]), Int(bounds[1] - bounds[0]), MADV_DONTNEED)
      }
    #endif
  }
}
