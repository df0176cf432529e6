import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore
import Testing

/// The random values of conversions.
@Suite struct ConversionDrawTests {
  /// The delay and the identifier of a postback.
  private struct Draw: Hashable {
    let delay: Interval
    let identifier: JSON?
  }

  /// Performs an install with an ad, and returns the values of its first postback.
  private func convert(_ device: DeviceScene) async throws -> Draw {
    try await device.converted()
    try await device.scene.advance(.days(2))
    let postback = try #require(try await device.postbacks().last)
    let now = try await device.browser.configuration().now
    return Draw(
      delay: postback.dueAt - now, identifier: JSON(parsing: Array(postback.body.utf8))?["transaction-id"])
  }

  @Test("They depend on the seed and the number of conversions before, and on nothing else in the log")
  func order() async throws {
    let calm = try await DeviceScene()
    let draws = [try await convert(calm), try await convert(calm), try await convert(calm)]
    #expect(Set(draws).count == 3 && Set(draws.map(\.identifier)).count == 3)

    let busy = try await DeviceScene()
    try await busy.scene.click(1)
    var request = TrackingRequestInput()
    request.bundleIdentifier = DeviceScene.advertisedApp
    _ = try await busy.browser.perform(request)
    try await busy.install()
    #expect(try await convert(busy) == draws[0])
    try await busy.scene.click(2)
    try await busy.display(busy.ad())
    #expect(try await convert(busy) == draws[1])

    let other = try await DeviceScene(seed: "other")
    #expect(try await convert(other) != draws[0])
  }

  @Test("They continue after a restart, and after the data is cleared")
  func position() async throws {
    let calm = try await DeviceScene()
    let draws = [try await convert(calm), try await convert(calm)]
    let store = MemoryStore()
    let device = try await DeviceScene(store: store)
    #expect(try await convert(device) == draws[0])
    try await device.browser.clear(nil)
    try await device.converted()
    let again = try await Scene(restarting: store).browser
    _ = try await again.advance(.by(.days(2)))
    let postback = try #require(try await again.postbackPage(limit: 1_000).items.last)
    #expect(JSON(parsing: Array(postback.body.utf8))?["transaction-id"] == draws[1].identifier)
  }
}
