import PCMClient
import XCTest

final class AdUITests: XCTestCase {
  @MainActor func testATappedAdIsReported() async throws {
    let browser = try await PCM.browser("ad-ui-test", network: .simulated)
    let app = XCUIApplication()
    app.launchEnvironment["PCM_BROWSER_URL"] = PCMService.fromEnvironment.url
    app.launchEnvironment["PCM_BROWSER_NAME"] = browser.name
    app.launch()
    app.buttons["Ad"].tap()
    _ = try? await browser.waitFor(.clickStored, timeout: .seconds(10))

    try await browser.trigger(.pixel(of: "news.example", data: 12, on: "https://shop.example/thanks"))
    try await browser.advance(by: .hours(48))
    try await browser.expectReport(to: .source, on: "shop.example", sourceIdentifier: 4, triggerData: 12)
  }
}
