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

/// The consent to a check, which sends malformed requests and many at once, and to a load test.
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

  /// Returns the hosts that no option leads to this machine.
  static func elsewhere(among urls: [WebURL], route: NetworkRoute) -> [String] {
    urls.reduce(into: []) { hosts, url in
      let targets = route.targets(host: url.host, port: url.port ?? 443)
      guard !targets.allSatisfy(isLoopback), !hosts.contains(url.host) else { return }
      hosts.append(url.host)
    }
  }

  /// - Parameters:
  ///   - amount: The requests, for use after "sends": `up to 60 requests, including malformed ones,`.
  ///   - verb: The action, for use after "may": `check`.
  ///   - ask: Asks a question on the terminal and returns the answer; nil without a terminal.
  /// - Throws: `StartError` without confirmation.
  static func confirm(
    _ strangers: [String], sending amount: String, to verb: String, ask: (String) -> String?
  ) throws(StartError) {
    guard !strangers.isEmpty else { return }
    let hosts = strangers.joined(separator: " and ")
    let pronoun = strangers.count == 1 ? "it" : "them"
    let question = "This sends \(amount) to \(hosts). Do you own \(pronoun)? [y/N] "
    guard let answer = ask(question) else {
      throw StartError(
        description: "this sends \(amount) to \(hosts): "
          + "use --yes-i-own-this if you own \(pronoun), or direct \(pronoun) to your server with --connect-to")
    }
    guard ["y", "yes"].contains(answer.lowercased()) else {
      throw StartError(description: "nothing was sent: only the owner of \(hosts) may \(verb) \(pronoun)")
    }
  }

  /// Asks on the terminal of the process; nil without a terminal.
  static func askOnTerminal(_ question: String) -> String? {
    guard StandardInput.isTerminal, StandardError.isTerminal else { return nil }
    StandardError.write(question)
    return StandardInput.line() ?? ""
  }

  private static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || ["[::1]", "::1"].contains(host)
      || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
  }
}
