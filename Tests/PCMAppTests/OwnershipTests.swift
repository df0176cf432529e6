import PCMCore
import PCMNetwork
import PCMURL
import Testing

@testable import PCMApp

@Suite struct OwnershipTests {
  @Test(
    arguments: [
      (["https://ads.example/"], [], [], ["ads.example"]),
      (["https://ads.example/", "https://ads.example/pixel", "https://cdn.example/"], [], [], ["ads.example", "cdn.example"]),
      (
        ["https://localhost/", "https://a.localhost:8443/", "http://127.0.0.1:1/", "https://127.9.9.9/", "https://[::1]/"], [],
        [], []
      ),
      (["https://127.example/", "https://localhost.example/"], [], [], ["127.example", "localhost.example"]),
      (["https://ads.example/"], ["ads.example:443:127.0.0.1:8443"], [], []),
      (["https://ads.example/"], ["::127.0.0.1:8443"], [], []),
      (["https://ads.example/"], ["ads.example:444:127.0.0.1:8443"], [], ["ads.example"]),
      (["https://ads.example/"], ["other.example:443:127.0.0.1:8443"], [], ["ads.example"]),
      (["https://ads.example/"], [], ["ads.example:443:127.0.0.1"], []),
      (["https://ads.example/"], [], ["ads.example:80:127.0.0.1"], ["ads.example"]),
      (["http://ads.example/pixel"], [], ["ads.example:80:127.0.0.1"], []),
      (["https://ads.example/"], [], ["-ads.example:443:127.0.0.1"], ["ads.example"]),
    ] as [([String], [String], [String], [String])])
  func strangersAreHostsThatNeedConfirmation(
    _ urls: [String], _ connectTo: [String], _ resolve: [String], _ strangers: [String]
  ) throws {
    let sites = SiteParser(publicSuffixList: .builtIn())
    let route = NetworkRoute(connectTo: connectTo, resolve: resolve)
    #expect(Ownership.strangers(among: try urls.map { try sites.url($0) }, route: route) == strangers)
  }

  @Test(
    "Hosts that no option leads to this machine",
    arguments: [
      ([], [], ["ads.example"]), (["ads.example:443:127.0.0.1:8443"], [], []), (["::[::1]:8443"], [], []),
      (["::localhost:8443"], [], []), (["::10.1.2.3:8443"], [], ["ads.example"]), ([":443::8443"], [], ["ads.example"]),
      (["ads.example:443:api:8443"], ["api:8443:127.0.0.1"], []), ([], ["ads.example:443:127.0.0.1,::1"], []),
      ([], ["ads.example:443:[::1]"], []), ([], ["*:443:127.0.0.1"], []), ([], ["+ads.example:443:127.0.0.1"], []),
      ([], ["ads.example:443:127.0.0.1,192.0.2.1"], ["ads.example"]), ([], ["ads.example:80:127.0.0.1"], ["ads.example"]),
    ] as [([String], [String], [String])])
  func elsewhere(_ connectTo: [String], _ resolve: [String], _ hosts: [String]) throws {
    let url = try SiteParser(publicSuffixList: .builtIn()).url("https://ads.example/")
    #expect(Ownership.elsewhere(among: [url, url], route: NetworkRoute(connectTo: connectTo, resolve: resolve)) == hosts)
  }

  @Test(
    arguments: [
      ("y", true), ("Y", true), ("yes", true), ("YES", true), ("", false), ("n", false), ("no", false), ("yy", false),
      ("of course", false),
    ])
  func onlyYesConfirms(_ answer: String, _ isTaken: Bool) {
    var questions: [String] = []
    let begin = {
      try Ownership.confirm(
        ["ads.example", "cdn.example"], sending: "up to 60 requests, including malformed ones,", to: "check"
      ) { question in
        questions.append(question)
        return answer
      }
    }
    if isTaken { #expect(throws: Never.self) { try begin() } } else { #expect(throws: StartError.self) { try begin() } }
    #expect(
      questions == [
        "This sends up to 60 requests, including malformed ones, to ads.example and cdn.example. Do you own them? [y/N] "
      ])
  }

  @Test func withoutATerminalTheErrorNamesTheOption() throws {
    let failure = try #require(throws: StartError.self) {
      try Ownership.confirm(["ads.example"], sending: "up to 60 requests, including malformed ones,", to: "check") { _ in nil }
    }
    for part in ["60 requests", "ads.example", "--yes-i-own-this"] { #expect(failure.description.contains(part)) }
  }

  @Test func oneHostIsSingular() {
    var questions: [String] = []
    try? Ownership.confirm(["ads.example"], sending: "1 request", to: "load-test") { question in
      questions.append(question)
      return ""
    }
    #expect(questions == ["This sends 1 request to ads.example. Do you own it? [y/N] "])
  }

  @Test func withoutStrangersThereIsNoQuestion() {
    #expect(throws: Never.self) {
      try Ownership.confirm([], sending: "up to 60 requests, including malformed ones,", to: "check") { _ in
        Issue.record("asked")
        return nil
      }
    }
  }
}
