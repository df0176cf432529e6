import Foundation
package import HTTPTypes
import Testing

extension API {
  /// Members as JSON text, so that a story shows only its special values.
  private static func body(_ members: [String: Any]) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
  }

  /// A tap on an ad in an app.
  package func tap(_ special: [String: Any] = [:]) async throws -> Answer {
    let usual: [String: Any] = [
      "bundleIdentifier": "com.example.news", "sourceIdentifier": 4, "destinationURL": "https://shop.example/",
      "tapVerified": true,
    ]
    return try await call(
      .post, "/v1/browsers/test/event-attributions", Self.body(usual.merging(special) { $1 }))
  }

  /// A click on an ad on a page.
  ///
  /// - Parameter special: Members in place of the usual ones; nil removes a member.
  package func link(_ special: [String: Any?] = [:]) async throws -> Answer {
    let usual: [String: Any?] = [
      "pageURL": "https://news.example/", "attributionSourceID": "7", "attributionDestination": "https://shop.example",
    ]
    return try await call(
      .post, "/v1/browsers/test/link-clicks", Self.body(usual.merging(special) { $1 }.compactMapValues { $0 }))
  }

  /// A pixel that is redirected to a trigger URL.
  ///
  /// - Parameters:
  ///   - tail: The text after the trigger path's last slash.
  ///   - origin: where the trigger URL lives, in front of the path.
  package func trigger(
    _ tail: String = "12/03", at origin: String = "https://news.example", from: String? = nil,
    page: String = "https://shop.example/thanks", app: String? = nil,
    path: String = "/.well-known/private-click-measurement/trigger-attribution/"
  ) async throws -> Answer {
    let to = "\(origin)\(path)\(tail)"
    let members: [String: Any?] = [
      "firstPartyURL": page, "redirect": ["from": from ?? "https://news.example/pixel", "to": to], "bundleIdentifier": app,
    ]
    return try await call(.post, "/v1/browsers/test/triggering-events", Self.body(members.compactMapValues { $0 }))
  }

  /// Changes settings of the browser.
  package func settings(_ members: [String: Any]) async throws {
    #expect(try await call(.patch, "/v1/browsers/test", Self.body(["settings": members])).status == 200)
  }

  /// Moves the manual clock of the browser.
  package func advance(_ interval: String) async throws {
    #expect(try await call(.post, "/v1/browsers/test/clock/advance", Self.body(["by": interval])).status == 200)
  }
}

extension HTTPFields {
  /// A request's idempotency key.
  package static func key(_ text: String) -> HTTPFields { HTTPField.Name("Idempotency-Key").map { [$0: text] } ?? [:] }
}
