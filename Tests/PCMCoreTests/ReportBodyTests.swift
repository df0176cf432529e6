import PCMCore
import Testing

/// Section G of the conformance cases: the bytes of a report.
@Suite struct ReportBodyTests {
  @Test(
    arguments: [
      Case(
        "82", [0, 0, 0],
        #"{"source_engagement_type":"click","source_site":"webkit.org","source_id":0,"attributed_on_site":"example.com","trigger_data":0,"version":3}"#
      ),
      Case(
        "83", [192, 9, 22],
        #"{"source_engagement_type":"click","source_site":"webkit.org","source_id":192,"attributed_on_site":"example.com","trigger_data":9,"version":3}"#
      ),
      Case(
        "84", [255, 15, 63],
        #"{"source_engagement_type":"click","source_site":"webkit.org","source_id":255,"attributed_on_site":"example.com","trigger_data":15,"version":3}"#
      ),
    ] as [Case<[UInt8], String>])
  func theBodyIsCompactJSONInWireOrder(_ one: Case<[UInt8], String>) {
    let key = ClickKey(source: Site("webkit.org"), destination: Site("example.com"), bundleIdentifier: "secret.bundle")
    let click = Click(key: key, sourceID: one.given[0], clickedAt: Instant(milliseconds: 0), nonce: "n", reportEndpoint: "e")
    let trigger = Trigger(data: one.given[1], priority: one.given[2])
    #expect(ReportBody.json(of: click, trigger: trigger).text == one.then)
  }

  @Test("Case 81: A report's URL is the well-known path at the site")
  func wellKnownURL() {
    #expect(
      ReportBody.url(at: Site("webkit.org")) == "https://webkit.org/.well-known/private-click-measurement/report-attribution/")
  }
}
