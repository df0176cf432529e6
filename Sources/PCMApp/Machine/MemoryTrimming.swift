import Foundation
import ServiceLifecycle

#if canImport(Glibc)
  import Glibc
#endif

/// Returns free memory to the system. The C library keeps what was freed between blocks that are in use, so the memory of one
/// busy minute would stay for good.
struct MemoryTrimming: Service {
  private static let interval = Duration.seconds(15)

  /// The resident memory in bytes above which each interval ends with a trim, because callers wait for it.
  let limit: Int

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var schedule = TrimSchedule(resident: MemoryUse.residentBytes)
      while (try? await Task.sleep(for: Self.interval)) != nil {
        let resident = MemoryUse.residentBytes
        guard schedule.shouldTrim(resident: resident) || resident > limit else { continue }
        Self.trim()
        schedule.note(resident: resident, afterTrim: MemoryUse.residentBytes)
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
}
