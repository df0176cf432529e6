import PCMCore
import PCMDelivery

/// A load that a page makes, as text that nobody has looked at yet. The member names are the API's.
package struct LoadInput: Hashable, Sendable {
  package var firstPartyURL: String
  package var url: String
  package var method: String
  package var app: String?

  package init(firstPartyURL: String, url: String, method: String = "GET", app: String? = nil) {
    self.firstPartyURL = firstPartyURL
    self.url = url
    self.method = method
    self.app = app
  }
}

extension LoadInput {
  /// The load before its first request.
  func load(world: World) throws(BrowserError) -> PageLoad {
    var checker = InputChecker(world: world)
    _ = checker.url(firstPartyURL, ["firstPartyURL"])
    let url = checker.url(url, ["url"])
    let method = OutgoingRequest.Method(rawValue: method)
    if method == nil { checker.problems.append(InputProblem(["method"], "use \"GET\" or \"POST\"")) }
    checker.bundleIdentifier(app, ["app"])
    try checker.finish()
    return PageLoad(url: try checker.required(url), method: try checker.required(method))
  }
}
