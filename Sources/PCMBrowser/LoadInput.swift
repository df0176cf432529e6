import PCMCore
import PCMDelivery

/// A load that a page makes, as text that nobody has looked at yet. The member names are the API's.
package struct LoadInput: Hashable, Sendable {
  package var firstPartyURL: String
  package var url: String
  package var kind: String
  package var method: String
  package var app: String?

  package init(firstPartyURL: String, url: String, kind: String = "image", method: String = "GET", app: String? = nil) {
    self.firstPartyURL = firstPartyURL
    self.url = url
    self.kind = kind
    self.method = method
    self.app = app
  }
}

extension LoadInput {
  /// The load before its first request.
  func load(world: World) throws(BrowserError) -> PageLoad {
    var checker = InputChecker(world: world)
    let page = checker.url(firstPartyURL, ["firstPartyURL"])
    let url = checker.url(url, ["url"])
    let kind = LoadKind(rawValue: kind)
    if kind == nil {
      checker.problems.append(
        InputProblem(["kind"], "use \(LoadKind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))"))
    }
    let method = OutgoingRequest.Method(rawValue: method)
    if method == nil { checker.problems.append(InputProblem(["method"], "use \"GET\" or \"POST\"")) }
    checker.bundleIdentifier(app, ["app"])
    try checker.finish()
    return PageLoad(
      url: try checker.required(url), method: try checker.required(method), kind: try checker.required(kind),
      page: try checker.required(page))
  }
}
