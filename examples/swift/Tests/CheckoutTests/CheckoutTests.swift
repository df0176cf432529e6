import PCMClient
import PCMTesting
import Testing

@Test(.traces) func aTappedAdIsReportedToBothSides() async throws {
  let browser = try await PCM.browser("checkout", clock: .manual, network: .simulated)
  let app = try await browser.register(infoPlistAt: "Info.plist")

  let ad = EventAttribution(
    sourceIdentifier: 4, destinationURL: "https://shop.example/",
    sourceDescription: "Banner ad for Tablet Stand Deluxe.", purchaser: "Shop Example, Inc.")
  let tap = try await browser.open(ad, from: app, tapVerified: true)
  #expect(tap.outcome == .stored, "\(tap)")

  try await browser.advance(by: .hours(3))
  try await browser.trigger(.pixel(of: "news.example", data: 12, priority: 3, on: "https://shop.example/thanks"))

  try await browser.advance(by: .hours(48))
  try await browser.expectReport(to: .source, on: "shop.example", sourceIdentifier: 4, triggerData: 12)
  try await browser.expectReport(to: .destination, on: "shop.example", sourceIdentifier: 4, triggerData: 12)
}
