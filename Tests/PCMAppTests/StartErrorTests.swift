import PCMCore
import PCMStore
import Testing

@testable import PCMApp

/// The errors of the data file when the service starts.
@Suite struct StartErrorTests {
  @Test(
    "A start outside of the storable years names the clock, and not the file",
    arguments: [Instant(milliseconds: -1), Instant(milliseconds: 253_402_300_800_000)])
  func clock(_ time: Instant) {
    let description = StartError(.unstorableTime(time), reading: "data/pcm-browser.sqlite").description
    #expect(description == "the time \(time.text) is not in the years 1970 to 9999; set the machine's clock")
  }

  @Test("A full disk names the disk")
  func fullDisk() {
    let description = StartError(.full, reading: "data/pcm-browser.sqlite").description
    #expect(description.hasPrefix("the disk of data/pcm-browser.sqlite is full; "))
  }
}
