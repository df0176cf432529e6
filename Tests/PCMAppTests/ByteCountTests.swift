import Testing

@testable import PCMApp

@Suite struct ByteCountTests {
  @Test(arguments: [
    ("1", 1), ("1048576", 1_048_576), ("7B", 7), ("2kB", 2_000), ("2KiB", 2_048), ("500MB", 500_000_000), ("2GiB", 2 << 30),
    ("2gib", 2 << 30), ("1TB", 1_000_000_000_000), ("3TiB", 3 << 40), ("9223372036854775807", Int.max),
  ])
  func aNumberMayHaveAUnit(_ text: String, _ bytes: Int) {
    #expect(ByteCount(argument: text)?.bytes == bytes)
  }

  @Test(arguments: [
    "", "0", "0GiB", "-1", "+1", "1.5GiB", "GiB", "1 GiB", "1G", "1GiBs", "٣", "9223372036854775808", "8388608TiB", "9TiBTiB",
  ])
  func anythingElseIsNoSize(_ text: String) {
    #expect(ByteCount(argument: text) == nil)
  }

  @Test(arguments: [(16 << 30, "16GiB"), (3 << 20, "3MiB"), (1_025, "1025"), (5 << 40, "5TiB")])
  func theHelpShowsTheLargestUnit(_ bytes: Int, _ text: String) {
    #expect(ByteCount(bytes).defaultValueDescription == text)
    #expect(ByteCount(argument: text)?.bytes == bytes)
  }
}
