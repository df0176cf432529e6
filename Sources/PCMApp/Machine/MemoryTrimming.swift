import Foundation
import ServiceLifecycle

#if canImport(Glibc)
  import Glibc
#endif

/// Returns free memory to the system. The C library keeps what was freed between blocks that are in use, so the memory of one
/// busy minute would stay for good.
struct MemoryTrimming: Service {
  private static let interval = Duration.seconds(15)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var schedule = TrimSchedule(resident: Self.residentBytes)
      while (try? await Task.sleep(for: Self.interval)) != nil {
        let resident = Self.residentBytes
        guard schedule.shouldTrim(resident: resident) else { continue }
        Self.trim()
        schedule.note(resident: resident, afterTrim: Self.residentBytes)
      }
    }
  }

  private static func trim() {
    #if canImport(Glibc)
      // The Swift module of the C library lacks malloc.h.
      guard let symbol = dlsym(nil, "malloc_trim") else { return }
      _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
    #endif
  }

  /// The resident memory of the process; 0 where it cannot be read.
  private static var residentBytes: Int {
    // `5120 3072 …`: the size and the resident part, in pages.
    guard let text = try? TextFile.read("/proc/self/statm"),
      let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return 0 }
    return pages * NSPageSize()
  }
}
