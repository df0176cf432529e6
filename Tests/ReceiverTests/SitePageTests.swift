import HTTPTypes
import HummingbirdTesting
import NIOCore
import PCMPages
import Testing

@Suite("pages of the demo's sites")
struct SitePageTests {
  @Test("only the demo serves them, and without a policy that would restrict them", arguments: SitePage.allCases)
  func served(_ page: SitePage) async throws {
    try await ReceiverAPI.test { client async throws in
      #expect(try await client.execute(uri: page.path, method: .get).status == .notFound)
    }
    try await ReceiverAPI.test(hasSites: true) { client async throws in
      let response = try await client.execute(uri: page.path + "?", method: .get)
      #expect(response.status == .ok)
      #expect(String(buffer: response.body) == page.html)
      #expect(response.headers[.contentSecurityPolicy] == nil)
    }
  }

  @Test("the ad leads to the product, the purchase to the thank-you page, and its pixel is redirected")
  func story() async throws {
    #expect(SitePage.article.html.contains("href=\"\(SitePage.product.url)\""))
    #expect(SitePage.article.html.contains("attributionsourceid=\"4\" attributiondestination=\"https://shop.example\""))
    #expect(SitePage.article.html.contains("id=\"\(SitePage.ad.dropFirst())\""))
    #expect(SitePage.product.html.contains("id=\"\(SitePage.buyButton.dropFirst())\""))
    #expect(SitePage.product.html.contains("action=\"\(SitePage.thanks.path)\""))
    let pixel = "/pixel?data=12&priority=03"
    #expect(SitePage.thanks.html.contains("src=\"https://news.example\(pixel.replacing("&", with: "&amp;"))\""))
    try await ReceiverAPI.test(hasSites: true) { client async throws in
      let response = try await client.execute(uri: pixel, method: .get)
      #expect(response.headers[.location]?.contains("trigger-attribution/12/03") == true, "\(response.headers)")
    }
  }
}
