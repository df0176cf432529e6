import PCMCore
import Testing

/// Redirects to a misspelled trigger path.
@Suite struct TriggerPathTests {
  @Test(
    "The reason for a misspelled path contains the correct path",
    arguments: [
      ("/.well-known/private-click-measurement/trigger-atribution/12/03", "12/03"),
      ("/.well-known/private-click-measurement/trigger_attribution/12", "12"),
      ("/.well-known/private-click-measurment/trigger-attribution/12/03", "12/03"),
      ("/.well-known/private-click-measurement/Trigger-Attribution/12", "12"),
      ("/.well-known/private-click-measurement/trigger%2Dattribution/12", "12"),
      ("/.well-known%2Fprivate-click-measurement%2Ftrigger-attribution/13", "13"),
      ("/.well-known/private-click-measurement/report-attribution/09/11", "09/11"),
      ("/.well-known/private-click-measurement/12/03", "12/03"),
      ("/well-known/private-click-measurement/trigger-attribution/12", "12"),
      ("/.well-known/trigger-attribution/12", "12"),
      ("/.well-known/private-click-measurement/trigger-attribution", "DD"),
      ("/a/.well-known/private-click-measurement/trigger-attribution/12/03", "12/03"),
      ("/trigger-attribution", "DD"), ("/.well-known/ad-click-attribution/12/03", "12/03"),
    ])
  func misspelled(_ path: String, _ tail: String) throws {
    #expect(TriggerPath.intended(by: path) == TriggerURL.pathPrefix + tail)
    let rejection = try #require(try violation(to: path))
    #expect(rejection.reason.code == "path-not-a-trigger")
    #expect(rejection.reason.detail.contains("the closest correct spelling is \(TriggerURL.pathPrefix)\(tail)"))
    #expect(rejection.change.contains(TriggerURL.pathPrefix + tail))
  }

  @Test(
    "Any other path has no correction",
    arguments: [
      "/", "/pixel.gif", "/12/03", "/.well-known/acme-challenge/12", "/order-attribution/12", "/user-attribution",
      "/click-attribution/1", "/api/ad-attribution", "/measurement/click",
    ])
  func unrelated(_ path: String) throws {
    #expect(TriggerPath.intended(by: path) == nil)
    #expect(try violation(to: path)?.reason.detail.contains(TriggerURL.pathPrefix) == true)
  }

  @Test("A path of Chrome's Attribution Reporting API is named")
  func chromes() throws {
    let rejection = try #require(try violation(to: "/.well-known/attribution-reporting/trigger"))
    #expect(rejection.reason.detail.contains("Chrome's Attribution Reporting API, which Safari lacks"))
    #expect(rejection.change.contains(TriggerURL.pathPrefix))
  }

  @Test("The trigger path passes with any text after it", arguments: ["12", "12/03", "", "nonsense/1/2/3"])
  func correct(_ tail: String) throws {
    #expect(try violation(to: TriggerURL.pathPrefix + tail) == nil)
  }

  @Test("A very long path is compared in bounded time")
  func long() {
    let path = String(repeating: "/trigger-attributio", count: 400)
    #expect(TriggerPath.intended(by: path) == TriggerURL.pathPrefix + "DD")
  }

  private func violation(to path: String) throws -> Violation? {
    var evaluation = RuleEvaluation()
    return evaluation.firstViolation(of: TriggerPath.rules, to: try url("https://news.example\(path)"))
  }
}
