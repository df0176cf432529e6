import ArgumentParser
import PCMEndpoint
import Testing

@testable import PCMApp

/// The options of `receive` for ads that lead to apps.
@Suite struct AppAdOptionsTests {
  @Test(
    "Devices write a path of postbacks in one way",
    arguments: [
      ("/postbacks", true), ("/a/b_c/d.e~f-9/", true), ("postbacks", false), ("", false), ("/", false), ("//a", false),
      ("/a//b", false), ("/a/../b", false), ("/a?b", false), ("/:id", false), ("/*", false), ("/ä", false), ("/a%2F", false),
      ("/{a}", false), ("/admin/postbacks", false), ("/healthz", false), ("/.well-known/a", false), ("/pixel", false),
    ])
  func path(_ path: String, _ isValid: Bool) {
    let options = try? AppAdOptions.parse(["--postback-path", path])
    #expect((options != nil) == isValid)
  }

  @Test(
    "A value that no web ad has is an error that names the option",
    arguments: [
      ["--ad-network", "Example.skadnetwork"], ["--ad-network", ""], ["--advertised-app", "0"],
      ["--source-identifier", "10000"], ["--source-identifier=-1"],
    ])
  func values(_ arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try AppAdOptions.parse(arguments) }
    let option = arguments[0].split(separator: "=")[0]
    #expect(error.map { AppAdOptions.fullMessage(for: $0) }?.contains("\(option) ") == true)
  }

  @Test func theOptionsMakeTheAd() throws {
    let options = try AppAdOptions.parse([
      "--postback-path", "/a", "--postback-path", "/b/", "--ad-network", "b2.adattributionkit", "--advertised-app", "42",
      "--source-identifier", "7",
    ])
    #expect(try options.appAds().postbackPaths == ["/a", "/b/"])
    #expect(options.adNetwork == "b2.adattributionkit" && options.advertisedApp == 42 && options.sourceIdentifier == 7)
  }

  @Test(arguments: ["/nonexistent/key.pem", "/dev/null"])
  func aFileWithoutAKeyIsAnErrorThatNamesTheOption(_ file: String) throws {
    let options = try AppAdOptions.parse(["--postback-key", file])
    let error = #expect(throws: StartError.self) { try options.appAds() }
    #expect(error?.description.contains(file) == true && error?.description.hasSuffix("--postback-key") == true)
  }
}
