extension Scenario.App {
  /// The bytes of the app's Info.plist.
  package var manifest: [UInt8] {
    switch self {
    case .plist(let bytes): return bytes
    case .made(let bundleIdentifier, let reportEndpoint):
      let endpoint = reportEndpoint.map { Self.entry("NSAdvertisingAttributionReportEndpoint", $0) } ?? ""
      let identifier = Self.entry("CFBundleIdentifier", bundleIdentifier)
      return Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>\(identifier)\(endpoint)</dict></plist>

        """.utf8)
    }
  }

  private static func entry(_ key: String, _ value: String) -> String { "<key>\(key)</key><string>\(escaped(value))</string>" }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }
}
