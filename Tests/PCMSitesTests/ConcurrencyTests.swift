import PCMCore
import PCMSites
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite struct ConcurrencyTests {
  @Test("Many tasks parse international names at once, and each thread keeps its locale")
  func manyTasks() async {
    let wrong = await withTaskGroup(of: Int.self) { group in
      for task in 0..<64 {
        group.addTask { @concurrent in
          (0..<200).count { Self.parses(number: task * 200 + $0) == false }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }

  /// Synchronous, so that the locale is read on the thread that parses.
  private static func parses(number: Int) -> Bool {
    let before = uselocale(nil)
    let host = try? parser.url("https://bücher\(number).faß.example/").host
    guard uselocale(nil) == before else { return false }
    return host?.hasPrefix("xn--bcher\(number)-") == true && host?.hasSuffix(".xn--fa-hia.example") == true
  }

  @Test("A refused name leaves the locale as it was, too")
  func refusedName() {
    let before = uselocale(nil)
    #expect(throws: URLRefusal.badHost(.notInternational)) { try parser.url("https://-ü.example/") }
    #expect(uselocale(nil) == before)
  }
}
