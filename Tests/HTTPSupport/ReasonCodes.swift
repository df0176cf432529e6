import Foundation
import PCMNetwork

/// The codes of reasons in the sources.
package enum ReasonCodes {
  /// Reads the sources.
  package static func inSources() throws -> Set<String> {
    let sources = API.fixtures.deletingLastPathComponent().appendingPathComponent("Sources")
    var codes = Set(TransportFailure.Code.allCases.map(\.rawValue)).union(["app-store-link", "app-store-link-malformed"])
    for name in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where name.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
      let pieces = ["Reason(", "Violation("].flatMap { text.split(separator: $0).dropFirst() }
      for piece in pieces {
        let rest = piece.drop { $0.isWhitespace }
        if rest.hasPrefix("\"") { codes.insert(String(rest.dropFirst().prefix { $0 != "\"" })) }
      }
    }
    return codes
  }
}
