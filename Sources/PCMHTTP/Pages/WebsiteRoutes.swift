import HTTPTypes
import Hummingbird
import NIOCore
import PCMPages

/// The website of the documentation, which `scripts/documentation` builds for the path `/documentation`. The archive and the Debian
/// package contain it.
package struct Website: Sendable {
  /// Returns a file by its path in the folder of the website, such as `js/index.js`; nil when there is none.
  let file: @Sendable (_ path: String) -> [UInt8]?

  package init(file: @escaping @Sendable (_ path: String) -> [UInt8]?) { self.file = file }

  /// No website, as in a wheel.
  package static let none = Website { _ in nil }

  private static let mediaTypes = [
    "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8", "ico": "image/x-icon", "jpg": "image/jpeg",
    "js": "text/javascript; charset=utf-8", "json": "application/json", "png": "image/png", "svg": "image/svg+xml",
  ]

  /// Returns a file of the website, or the page in a folder; nil when there is none.
  fileprivate func asset(at parts: [Substring]) -> AssetFile? {
    guard parts.allSatisfy({ !$0.hasPrefix(".") }), let last = parts.last else { return nil }
    let path = parts.joined(separator: "/")
    if let type = last.split(separator: ".").last.flatMap({ Self.mediaTypes[String($0)] }), last.contains(".") {
      return file(path).map { AssetFile(mediaType: type, content: ByteBuffer(bytes: $0)) }
    }
    return file(path + "/index.html").map { bytes in
      AssetFile(
        mediaType: "text/html; charset=utf-8", content: ByteBuffer(bytes: bytes),
        scripts: Self.inlineScripts(in: String(decoding: bytes, as: UTF8.self)))
    }
  }

  /// Returns the scripts within a page of DocC.
  private static func inlineScripts(in page: String) -> [String] {
    page.split(separator: "<script>", omittingEmptySubsequences: false).dropFirst().compactMap { part in
      part.firstRange(of: "</script>").map { String(part[..<$0.lowerBound]) }
    }
  }
}

extension ControlAPI {
  /// Adds the website of the documentation, and a page in its place that says where it is.
  func addWebsiteRoutes(to routes: inout RouteTable) {
    routes.on("/documentation", .get, parameters: nil) { _, _ in
      guard website.asset(at: ["documentation", "pcm-browser"]) != nil else { return Response(page: MissingWebsitePage.html) }
      return .redirect(to: "/documentation/documentation/pcm-browser", type: .found)
    }
    routes.on("/documentation/**", .get, parameters: nil) { request, context in
      guard let asset = website.asset(at: context.parameters.getCatchAll()) else {
        throw Problem.notFound("the documentation has no file at this path")
      }
      return asset.response(to: request)
    }
  }
}
