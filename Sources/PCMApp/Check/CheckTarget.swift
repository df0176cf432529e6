import PCMCore
import PCMCurl
import PCMManifest
import PCMNetwork
import PCMURL

/// The endpoint of a check: by its URL, or from an app's manifest.
struct CheckTarget {
  let sites: SiteParser

  /// - Parameter option: The option or argument of the text.
  func url(_ text: String, _ option: String) throws -> WebURL {
    guard let url = try? sites.url(text), url.isHTTPFamily else {
      let hint = text.contains("://") ? "" : "; write https://\(text)"
      throw StartError(description: "\(option) is not an absolute http or https URL: \(text.visible)\(hint)")
    }
    return url
  }

  /// `NSAdvertisingAttributionReportEndpoint` of an app's Info.plist.
  func endpoint(ofManifest file: String) throws -> WebURL {
    let manifest = try ManifestFile.review(file, sites: sites)
    if let error = manifest.endpointError {
      throw StartError(description: "\(file) names no usable endpoint. \(error.detail)")
    }
    guard let endpoint = manifest.endpoint else {
      throw StartError(description: "\(file) names no endpoint; set NSAdvertisingAttributionReportEndpoint to its https URL")
    }
    return endpoint
  }
}

/// The consent to a check, which sends malformed requests and many at once.
enum Ownership {
  /// The hosts whose requests need confirmation: all hosts except loopback and the hosts that an option of the command line
  /// directs.
  static func strangers(among urls: [WebURL], route: NetworkRoute) -> [String] {
    urls.reduce(into: []) { hosts, url in
      let port = url.port ?? (url.scheme == "http" ? 80 : 443)
      guard !isLoopback(url.host), !route.names(host: url.host, port: port), !hosts.contains(url.host) else { return }
      hosts.append(url.host)
    }
  }

  /// - Parameter ask: Asks a question on the terminal and returns the answer; nil without a terminal.
  /// - Throws: `StartError` without confirmation.
  static func confirm(_ strangers: [String], requests: Int, ask: (String) -> String?) throws(StartError) {
    guard !strangers.isEmpty else { return }
    let hosts = strangers.joined(separator: " and ")
    let pronoun = strangers.count == 1 ? "it" : "them"
    let amount = counted(requests, "request")
    let question = "This sends up to \(amount), including malformed ones, to \(hosts). Do you own \(pronoun)? [y/N] "
    guard let answer = ask(question) else {
      throw StartError(
        description: "this sends up to \(amount), including malformed ones, to \(hosts): "
          + "use --yes-i-own-this if you own \(pronoun), or direct \(pronoun) to your server with --connect-to")
    }
    guard ["y", "yes"].contains(answer.lowercased()) else {
      throw StartError(description: "nothing was sent: only the owner of \(hosts) may check \(pronoun)")
    }
  }

  private static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
      || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
  }
}
