import PCMCore
import PCMURL
import Testing

@Suite struct SiteTests {
  @Test(
    "A host without a registrable domain is a site itself",
    arguments: [
      "localhost", "127.0.0.1", "10.0.0.1", "[::1]", "com", "co.uk", "github.io", "ck", "",
    ])
  func ownSite(_ host: String) {
    let (site, isRegistrableDomain) = parser.site(ofHost: host)
    #expect(site == Site(host) && !isRegistrableDomain, "\(host)")
  }

  @Test(
    "The site of any other host is its registrable domain",
    arguments: [
      ("example.com", "example.com"), ("a.b.example.com", "example.com"), ("shop.example.co.uk", "example.co.uk"),
      ("someone.github.io", "someone.github.io"), ("a.someone.github.io", "someone.github.io"), ("www.ck", "www.ck"),
      ("a.b.c.ck", "b.c.ck"), ("shop.example", "shop.example"), ("x.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
    ])
  func registrableDomain(_ host: String, _ domain: String) {
    let (site, isRegistrableDomain) = parser.site(ofHost: host)
    #expect(site == Site(domain) && isRegistrableDomain, "\(host)")
  }

  @Test(
    "The site of a URL does not depend on its scheme and port",
    arguments: [
      "https://www.shop.example", "http://shop.example:8080/x", "wss://a.b.shop.example", "myapp://shop.example",
    ])
  func siteOfURL(_ text: String) throws {
    let url = try parser.url(text)
    #expect(url.site == Site("shop.example") && url.hasRegistrableDomain, "\(text)")
  }
}
