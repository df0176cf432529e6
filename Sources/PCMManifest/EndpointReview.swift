import PCMCore

/// Checks `NSAdvertisingAttributionReportEndpoint` (reference, section 2.4). Apple requires an https URL and uses only its
/// registrable domain.
struct EndpointReview {
  let value: PropertyListValue?
  let url: WebURL?
  /// Keys that may be misspellings of this one.
  let nearMisses: [String]

  static let key = InfoDictionary.CodingKeys.endpoint.rawValue
  private static let advice = "Write the domain alone, as in https://example.com"

  var findings: [ManifestFinding] {
    guard let value else { return [missing] }
    guard let text = value.string else {
      return [ManifestFinding(.endpointNotAString, "\(Self.key) must be a string. \(Self.advice).")]
    }
    guard !text.hasBuildSetting else {
      return [
        ManifestFinding(
          .endpointUnresolvedBuildSetting,
          "\(Self.key) is a build setting that Xcode fills in. Pass the Info.plist of the built app, not the "
            + "one in the sources.")
      ]
    }
    guard let url else {
      return [ManifestFinding(.endpointNotAURL, "\(Self.key) is not an absolute URL with a valid host. \(Self.advice).")]
        + spaceFindings(text)
    }
    let errors = [schemeFinding(url), hostFinding(url)].compactMap { $0 }
    return errors + spaceFindings(text) + internationalFindings(text, url) + (url.hasRegistrableDomain ? ignoredParts(url) : [])
  }

  private var missing: ManifestFinding {
    let remedy =
      nearMisses.isEmpty ? "\(Self.advice), with yours." : "Rename the key \(nearMisses.joined(separator: " or "))."
    return ManifestFinding(.endpointMissing, "\(Self.key) is missing: clicks from this app are discarded. \(remedy)")
  }

  private func spaceFindings(_ text: String) -> [ManifestFinding] {
    guard text.hasSpaceAround, !text.allSatisfy(\.isWhitespace) else { return [] }
    return [
      ManifestFinding(
        .endpointPadded,
        "\(Self.key) begins or ends with a space or a line break, which some URL parsers do not ignore. Remove it.")
    ]
  }

  private func internationalFindings(_ text: String, _ url: WebURL) -> [ManifestFinding] {
    let authority = text.split(separator: "://", maxSplits: 1).last?.prefix { !"/\\?#".contains($0) } ?? ""
    let host = String(authority.split(separator: "@").last ?? "")
    guard !host.allSatisfy(\.isASCII), !url.host.isEmpty, url.host.allSatisfy(\.isASCII) else { return [] }
    return [
      ManifestFinding(
        .endpointHostNotASCII,
        "\(Self.key) has the host \(host.asShown), which is \(url.host) in requests. Write that form, so that every parser "
          + "of the manifest sees the same host.")
    ]
  }

  private func schemeFinding(_ url: WebURL) -> ManifestFinding? {
    guard url.scheme != "https" else { return nil }
    return ManifestFinding(
      .endpointNotHTTPS, "\(Self.key) has the scheme \(url.scheme); reports are sent only over https. \(Self.advice).")
  }

  private func hostFinding(_ url: WebURL) -> ManifestFinding? {
    guard !url.hasRegistrableDomain else { return nil }
    guard !url.isAddress else {
      return ManifestFinding(
        .endpointIsAnAddress,
        "\(Self.key) contains the IP address \(url.host); reports go to a registrable domain. \(Self.advice). For tests, map "
          + "that domain to your address with --connect-to.")
    }
    let host = url.host.isEmpty ? "has no host" : "has the host \(url.host), which has no registrable domain"
    return ManifestFinding(
      .endpointWithoutRegistrableDomain,
      "\(Self.key) \(host): a registrable domain is a public suffix and one more label. \(Self.advice).")
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
      ManifestFinding(
        part.code,
        "\(Self.key): \(part.ignored) ignored; reports go to https://\(url.site.domain)/.well-known/private-click-measurement/"
          + "report-attribution/. Write https://\(url.site.domain).")
    }
  }
}

extension WebURL {
  /// Whether the host is an IP address. A normalized host ends with a number only if it is an address.
  fileprivate var isAddress: Bool {
    host.hasPrefix("[") || host.split(separator: ".").last.map { $0.allSatisfy(\.isNumber) } == true
  }
}
