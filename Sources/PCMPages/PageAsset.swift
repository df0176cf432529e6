import CPageAssets

/// A file that the pages load from the service or the report endpoint.
package enum PageAsset: String, Hashable, Sendable, CaseIterable {
  case style = "page.css"
  case script = "page.js"
  case receiver = "receive.js"
  case rules = "rules.js"
  case documentationStyle = "docs.css"
  case documentationScript = "docs.js"

  /// The files of the service's pages.
  package static let ofService: [PageAsset] = [.style, .script, .rules, .documentationStyle, .documentationScript]
  /// The files of the report endpoint's page.
  package static let ofReceiver: [PageAsset] = [.style, .script, .receiver]

  package var path: String { "/assets/\(rawValue)" }

  package var mediaType: String {
    switch self {
    case .style, .documentationStyle: "text/css; charset=utf-8"
    case .script, .receiver, .rules, .documentationScript: "text/javascript; charset=utf-8"
    }
  }

  package var text: String {
    switch self {
    case .style: String(cString: pcm_page_style())
    case .script: String(cString: pcm_page_script())
    case .receiver: String(cString: pcm_receiver_script())
    case .rules: String(cString: pcm_rules_script())
    case .documentationStyle: String(cString: pcm_documentation_style())
    case .documentationScript: String(cString: pcm_documentation_script())
    }
  }
}
