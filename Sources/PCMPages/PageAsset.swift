/// A file that the pages load from the service.
package enum PageAsset: String, Hashable, Sendable, CaseIterable {
  case style = "page.css"
  case script = "page.js"

  package var path: String { "/assets/\(rawValue)" }

  package var mediaType: String {
    switch self {
    case .style: "text/css; charset=utf-8"
    case .script: "text/javascript; charset=utf-8"
    }
  }

  package var text: String {
    switch self {
    case .style: Self.styleText
    case .script: Self.scriptText + Self.timelineScript + Self.tryScript + Self.codeScript
    }
  }
}
