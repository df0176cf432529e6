import PCMCore
import PCMURL
import Testing

@Suite struct ConcurrencyTests {
  @Test("Many tasks parse international names concurrently")
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

  private static func parses(number: Int) -> Bool {
    let host = try? parser.url("https://bücher\(number).faß.example/").host
    return host?.hasPrefix("xn--bcher\(number)-") == true && host?.hasSuffix(".xn--fa-hia.example") == true
  }
}
