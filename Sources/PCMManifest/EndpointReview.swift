import Foundation
import PCMCore
import PCMURL

/// Checks an endpoint: `NSAdvertisingAttributionReportEndpoint` (reference, section 2.4) or `AttributionCopyEndpoint`
/// (AdAttributionKit reference, section 6). Apple requires an https URL and uses only its registrable domain.
struct EndpointReview {
  let endpoint: Endpoint
  let value: PropertyListValue?
  let url: WebURL?
  /// The value with https:// before it; nil when it is no URL then, either.
  private let completed: WebURL?
  /// Whether the site is a name at a hosting service.
  let isHosted: Bool
  /// Keys that may be misspellings of the endpoint's key.
  let nearMisses: [String]
  /// Whether the app is meant to have the endpoint.
  let isExpected: Bool

  init(
    _ endpoint: Endpoint, _ value: PropertyListValue?, _ urls: EndpointURLs, nearMisses: [String] = [], isExpected: Bool = true
  ) {
    self.endpoint = endpoint
    self.value = value
    self.nearMisses = nearMisses
    self.isExpected = isExpected
    url = value?.string.flatMap(urls.parse)
    completed = value?.string.flatMap { urls.parse("https://\($0)") }
    isHosted = url.map { urls.isHosted($0.site) } ?? false
  }

  enum Endpoint {
    case report, postbackCopy
  }

  private static let advice = "Write the domain alone, as in https://example.com"

  /// Names the domain of the value, also if it lacks a scheme.
  private var remedy: String {
    let usable = [url, completed].compactMap { $0 }.first(where: \.hasRegistrableDomain)
    return usable.map { "Write https://\($0.site.domain)" } ?? Self.advice
  }

  private var key: String { endpoint.key.rawValue }

  /// The site that receives reports or copies; nil when the value is missing or unusable.
  var site: Site? {
    guard let text = value?.string, !text.hasBuildSetting, let url, url.scheme == "https", url.hasRegistrableDomain
    else { return nil }
    return url.site
  }

  var findings: [ManifestFinding] {
    guard let value else { return endpoint == .report ? [isExpected ? missing : absent] : [] }
    guard let text = value.string else {
      return [finding(.endpointNotAString, "\(key) must be a string. \(Self.advice).")]
    }
    guard !text.hasBuildSetting else {
      return [
        finding(
          .endpointUnresolvedBuildSetting,
          "\(key) is a build setting that Xcode fills in. Pass the Info.plist of the built app, not the one in the sources.")
      ]
    }
    guard let url else {
      return [finding(.endpointNotAURL, "\(key) is not an absolute URL with a valid host. \(remedy).")]
        + spaceFindings(text)
    }
    let errors = [schemeFinding(url), hostFinding(url)].compactMap { $0 }
    return errors + spaceFindings(text) + internationalFindings(text, url) + foundationFindings(text, url)
      + (url.hasRegistrableDomain ? ignoredParts(url) : [])
  }

  private func finding(_ code: ManifestFinding.Code, _ detail: String) -> ManifestFinding {
    ManifestFinding(endpoint == .report ? code : code.ofCopyEndpoint, detail)
  }

  /// Whether the value is a build setting, which Xcode replaces.
  var isUnknown: Bool { value?.string?.hasBuildSetting == true }

  private var absent: ManifestFinding {
    finding(
      .endpointAbsent,
      "\(key) is missing: the app takes no part in clicks, and SKAdNetwork sends no copies of its postbacks. Add the key if it "
        + "should.")
  }

  private var missing: ManifestFinding {
    let remedy =
      nearMisses.isEmpty ? "\(Self.advice), with yours." : "Rename the key \(nearMisses.joined(separator: " or "))."
    return ManifestFinding(
      .endpointMissing, "\(key) is missing: clicks from this app are discarded. \(remedy)",
      about: nearMisses.isEmpty ? [.clicks] : [.clicks, .skAdNetworkAdvertiser])
  }

  private func spaceFindings(_ text: String) -> [ManifestFinding] {
    guard text.hasSpaceAround, !text.allSatisfy(\.isWhitespace) else { return [] }
    return [
      finding(
        .endpointPadded, "\(key) begins or ends with a space or a line break, which some URL parsers do not ignore. Remove it.")
    ]
  }

  private func internationalFindings(_ text: String, _ url: WebURL) -> [ManifestFinding] {
    let authority = text.split(separator: "://", maxSplits: 1).last?.prefix { !"/\\?#".contains($0) } ?? ""
    let host = String(authority.split(separator: "@").last ?? "")
    guard !host.allSatisfy(\.isASCII), !url.host.isEmpty, url.host.allSatisfy(\.isASCII) else { return [] }
    return [
      finding(
        .endpointHostNotASCII,
        "\(key) has the host \(host.asShown), which is \(url.host) in requests. Write that form, so that every parser "
          + "of the manifest sees the same host.")
    ]
  }

  /// Finds a value in which Foundation's `URL` sees no host, or a different host than a browser.
  private func foundationFindings(_ text: String, _ url: WebURL) -> [ManifestFinding] {
    let text = text.withoutPadding
    guard url.hasRegistrableDomain, text.utf8.allSatisfy({ $0 < 0x80 }) else { return [] }
    let host = URL(string: text, encodingInvalidCharacters: false)?.host()
    guard host?.lowercased() != url.host else { return [] }
    let flaw =
      if text.contains(where: \.isWhitespace) {
        "contains a space, a tab, or a line break"
      } else if text.contains("\\") {
        "contains a backslash"
      } else if text.wholeMatch(of: /[^:]*:\/\/[^\/].*/) == nil {
        "has not exactly two slashes after the scheme"
      } else {
        "has characters that a URL cannot contain"
      }
    return [
      finding(
        .endpointHostUnclear,
        "\(key) \(flaw): browsers read the host \(url.host), and Foundation's URL finds \(host.map { $0.asShown } ?? "none"). "
          + "\(remedy).")
    ]
  }

  private func schemeFinding(_ url: WebURL) -> ManifestFinding? {
    guard url.scheme != "https" else { return nil }
    return finding(
      .endpointNotHTTPS, "\(key) has the scheme \(url.scheme); \(endpoint.messages) are sent only over https. \(remedy).")
  }

  private func hostFinding(_ url: WebURL) -> ManifestFinding? {
    guard !url.hasRegistrableDomain else { return nil }
    guard !url.isAddress else {
      return finding(
        .endpointIsAnAddress,
        "\(key) contains the IP address \(url.host); \(endpoint.messages) go to a registrable domain. \(Self.advice). For tests, "
          + "map that domain to your address with --connect-to.")
    }
    let host = url.host.isEmpty ? "has no host" : "has the host \(url.host), which has no registrable domain"
    return finding(
      .endpointWithoutRegistrableDomain,
      "\(key) \(host): a registrable domain is a public suffix and one more label. \(Self.advice).")
  }

  /// A single `/` is not a path.
  private func ignoredParts(_ url: WebURL) -> [ManifestFinding] {
    let subdomain = url.host.dropLast(url.site.domain.count)
    let parts: [(isPresent: Bool, code: ManifestFinding.Code, ignored: String)] = [
      (!subdomain.isEmpty, .endpointSubdomainIgnored, "the subdomain \(subdomain.dropLast()) is"),
      (url.path != "/", .endpointPathIgnored, "the path is"),
      (url.query != nil, .endpointQueryIgnored, "the query is"),
      (url.hasFragment, .endpointFragmentIgnored, "the fragment is"),
      (url.port != nil && url.port != 443, .endpointPortIgnored, "the port is"),
      (url.hasCredentials, .endpointCredentialsIgnored, "the user name and password are"),
    ]
    return parts.filter(\.isPresent).map { part in
      let remedy =
        isHosted && part.code == .endpointSubdomainIgnored
        ? "\(url.site.domain) is a name at a hosting service, which serves your host and not that one: only a domain of your own "
          + "helps."
        : "Write https://\(url.site.domain)."
      return finding(
        part.code,
        "\(key): \(part.ignored) ignored; \(endpoint.messages) go to \(endpoint.target(at: url.site)). \(remedy)")
    }
  }
}

/// Parses the URLs of endpoints.
struct EndpointURLs {
  let parse: (String) -> WebURL?
  /// Whether a registrable domain is a name at a hosting service: its public suffix is private.
  let isHosted: (Site) -> Bool
}

extension EndpointReview.Endpoint {
  var key: InfoDictionary.Key {
    switch self {
    case .report: .endpoint
    case .postbackCopy: .copyEndpoint
    }
  }

  fileprivate var messages: String {
    switch self {
    case .report: "reports"
    case .postbackCopy: "copies of postbacks"
    }
  }

  fileprivate func target(at site: Site) -> String {
    switch self {
    case .report: ReportBody.url(at: site)
    case .postbackCopy: AdFramework.adattributionkit.copyURL(at: site)
    }
  }
}

extension ManifestFinding.Code {
  /// The code of the same problem in `AttributionCopyEndpoint`.
  fileprivate var ofCopyEndpoint: Self { Self(rawValue: "copy-\(rawValue)") ?? self }
}

extension WebURL {
  /// Whether the host is an IP address. A normalized host ends with a number only if it is an address.
  fileprivate var isAddress: Bool {
    host.hasPrefix("[") || host.split(separator: ".").last.map { $0.allSatisfy(\.isNumber) } == true
  }
}
