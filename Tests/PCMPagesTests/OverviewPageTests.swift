import PCMPages
import Testing

@Suite struct OverviewPageTests {
  @Test(arguments: [(1, "one browser"), (2, "2 browsers")])
  func thePageContainsTheNumberOfBrowsers(_ count: Int, _ text: String) {
    #expect(OverviewPage(browsers: count).html.contains(text))
  }

  @Test func thePageLoadsNoExternalResources() {
    let html = OverviewPage(browsers: 1).html
    for sign in ["http://", "https://", "<script", "src="] { #expect(!html.contains(sign)) }
  }
}
