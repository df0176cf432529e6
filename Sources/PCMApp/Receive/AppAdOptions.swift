import ArgumentParser
import PCMCrypto
import PCMEndpoint

/// The options of `receive` for ads that lead to apps.
struct AppAdOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A path that accepts postbacks of both frameworks, besides the well-known ones. May be repeated.", valueName: "path"))
  var postbackPath: [String] = []

  @Option(
    help: ArgumentHelp(
      "A public key of postbacks besides Apple's and the test keys, as PEM, DER, or Base64. May be repeated.",
      valueName: "file"))
  var postbackKey: [String] = []

  @Option(
    help: ArgumentHelp(
      "The ad network in the signed values of a web ad. The published test key ad-network signs them.", valueName: "id"))
  var adNetwork = WebAd().adNetworkIdentifier

  @Option(help: ArgumentHelp("The app in the App Store to which the web ad leads.", valueName: "id"))
  var advertisedApp = WebAd().itemIdentifier

  @Option(help: ArgumentHelp("The source identifier of the web ad.", valueName: "number"))
  var sourceIdentifier = WebAd().sourceIdentifier

  func validate() throws {
    for path in postbackPath { try Self.check(path) }
    let isIdentifier = adNetwork.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    guard isIdentifier, !adNetwork.isEmpty else {
      throw ArgumentError("--ad-network", adNetwork, expected: "an identifier in lower case, as in example123.skadnetwork")
    }
    guard advertisedApp > 0 else {
      throw ArgumentError("--advertised-app", "\(advertisedApp)", expected: "the identifier of an app, as in 525463029")
    }
    guard (0...9999).contains(sourceIdentifier) else {
      throw ArgumentError("--source-identifier", "\(sourceIdentifier)", expected: "a number from 0 to 9999")
    }
  }

  private static func check(_ path: String) throws {
    var parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let first = parts.removeFirst()
    if parts.last == "", parts.count > 1 { parts.removeLast() }
    guard first.isEmpty, !parts.isEmpty, parts.allSatisfy(isPathPart) else {
      throw ArgumentError("--postback-path", path, expected: "a path of letters, digits, and -._~, as in /postbacks")
    }
    guard !["admin", "healthz", "pixel", ".well-known"].contains(parts[0]) else {
      throw ArgumentError(
        "--postback-path", path, expected: "a path outside /admin/, /healthz/, /pixel/, and /.well-known/",
        "The endpoint uses them.")
    }
  }

  /// Clients and routers treat such parts alike.
  private static func isPathPart(_ part: Substring) -> Bool {
    !["", ".", ".."].contains(part)
      && part.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789-._~".unicodeScalars.contains($0))
      }
  }

  func appAds() throws -> AppAds {
    let keys = try NamedKey.read(files: postbackKey, option: "--postback-key")
    let webAd = WebAd(
      adNetworkIdentifier: adNetwork, sourceIdentifier: sourceIdentifier, itemIdentifier: advertisedApp)
    return try AppAds(webAd: webAd, otherKeys: keys, postbackPaths: postbackPath)
  }
}
