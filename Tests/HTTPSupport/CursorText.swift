import Foundation
import HTTPTypes
import Testing

/// The contents of an opaque cursor. Callers must not look inside; tests do.
package enum CursorText {
  /// The position of a cursor.
  package static func position(_ cursor: String) -> String? { parts(cursor)?.last }

  /// The list, the browser, and the position.
  package static func parts(_ cursor: String) -> [String]? {
    let standard = cursor.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: standard + padding), let text = String(data: data, encoding: .utf8) else { return nil }
    return text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
  }
}

extension API {
  /// The items of all pages of a list.
  package func items(_ path: String) async throws -> [[String: Any]] {
    var items: [[String: Any]] = []
    var cursor: String?
    repeat {
      let next = cursor.map { (path.contains("?") ? "&" : "?") + "cursor=\($0)" } ?? ""
      let page = try await call(.get, path + next)
      let found = try page.member("items", as: [[String: Any]].self)
      if let limit = path.firstMatch(of: /limit=([0-9]+)/).flatMap({ Int($0.1) }) { #expect(found.count <= limit) }
      items += found
      cursor = try page.object["next"] as? String
    } while cursor != nil
    return items
  }
}

extension API.Answer {
  /// The position of the cursor in a member; nil when it is null.
  package func position(_ name: String = "next") throws -> String? {
    try (object[name] as? String).flatMap(CursorText.position)
  }
}
