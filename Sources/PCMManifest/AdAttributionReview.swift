import PCMCore

/// Reads what SKAdNetwork and AdAttributionKit use, with findings.
struct AdAttributionReview {
  private(set) var adAttribution = AppAdAttribution()
  let findings: [ManifestFinding]

  /// - Parameter reportEndpoint: The review of `NSAdvertisingAttributionReportEndpoint`, whose site also receives the copies
  ///   of SKAdNetwork postbacks.
  init(_ info: InfoDictionary, reportEndpoint: EndpointReview, parseURL: (String) -> WebURL?) {
    let copyEndpoint = EndpointReview(
      endpoint: .postbackCopy, value: info.copyEndpoint, url: info.copyEndpoint?.string.flatMap(parseURL))
    var groups = FindingGroups()
    let networks = AdNetworkReview(info, &groups)
    let configuration = ConfigurationReview(info, &groups)

    adAttribution.skAdNetworkIdentifiers = networks.skAdNetworkIdentifiers
    adAttribution.adNetworkIdentifiers = networks.adNetworkIdentifiers
    adAttribution.skAdNetworkCopySite = reportEndpoint.site
    adAttribution.adAttributionKitCopySite = copyEndpoint.site
    adAttribution.copyEndpoint = info.copyEndpoint?.string
    adAttribution.globalWindows = configuration.globalWindows
    adAttribution.networkWindows = configuration.networkWindows
    adAttribution.cooldowns = configuration.cooldowns
    adAttribution.hasOverlappingConversions =
      groups.boolean(info.overlappingConversions, at: InfoDictionary.CodingKeys.overlappingConversions.rawValue) ?? false
    adAttribution.copiesReengagementPostbacks =
      groups.boolean(info.reengagementCopies, at: InfoDictionary.CodingKeys.reengagementCopies.rawValue) ?? false

    if adAttribution.copiesReengagementPostbacks, copyEndpoint.site == nil {
      groups.add(
        .reengagementCopiesWithoutEndpoint, at: InfoDictionary.CodingKeys.reengagementCopies.rawValue,
        "the app has no usable \(InfoDictionary.CodingKeys.copyEndpoint.rawValue), so devices send no copies. Add that key.")
    }
    groups.checkDictionary(info.adAttributionKit)
    findings = copyEndpoint.findings + groups.findings
  }
}

extension FindingGroups {
  /// Finds the dictionary `AdAttributionKit`, which appears in published apps and which Apple does not document
  /// (AdAttributionKit reference, section 6).
  fileprivate mutating func checkDictionary(_ value: PropertyListValue?) {
    guard let value else { return }
    let (key, url) = (InfoDictionary.CodingKeys.adAttributionKit.rawValue, "PostbackCopyURL")
    let hasURL = if case .dictionary(let members) = value { members[url] != nil } else { false }
    add(
      .adAttributionKitDictionary, at: hasURL ? "\(key)/\(url)" : key,
      "Apple documents no such key, and devices ignore it. Write the URL for copies of postbacks as the value of "
        + "\(InfoDictionary.CodingKeys.copyEndpoint.rawValue), outside of a dictionary.")
  }
}

/// Notes about keys that have no effect on clicks.
struct AdKeysReview {
  let findings: [ManifestFinding]

  init(_ info: InfoDictionary) {
    var findings: [ManifestFinding] = []
    if case .array(let items) = info.skAdNetworkItems {
      findings.append(
        ManifestFinding(
          .skAdNetworkItems,
          "SKAdNetworkItems lists \(items.count) ad network\(items.count == 1 ? "" : "s"). It serves app installs through "
            + "SKAdNetwork and has no effect on clicks."))
    }
    let keys: [(key: InfoDictionary.CodingKeys, value: PropertyListValue?)] = [
      (.adNetworkIdentifiers, info.adNetworkIdentifiers), (.copyEndpoint, info.copyEndpoint),
      (.configurations, info.configurations), (.overlappingConversions, info.overlappingConversions),
      (.reengagementCopies, info.reengagementCopies),
    ]
    let present = keys.filter { $0.value != nil }.map(\.key.rawValue)
    if !present.isEmpty {
      let verbs = present.count == 1 ? "configures AdAttributionKit and has" : "configure AdAttributionKit and have"
      findings.append(
        ManifestFinding(.adAttributionKitKeys, "\(present.joined(separator: ", ")) \(verbs) no effect on clicks."))
    }
    self.findings = findings
  }
}
