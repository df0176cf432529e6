import PCMCore

/// Reads the values of SKAdNetwork, AdAttributionKit, and the prompt for permission to track, with findings.
struct AdAttributionReview {
  private(set) var adAttribution = AppAdAttribution()
  let findings: [ManifestFinding]
  /// The parts of the app whose values are build settings.
  let unknown: Set<Participation>

  /// - Parameter reportEndpoint: The review of `NSAdvertisingAttributionReportEndpoint`, whose site also receives the copies
  ///   of SKAdNetwork postbacks.
  init(_ info: InfoDictionary, reportEndpoint: EndpointReview, _ urls: EndpointURLs) {
    let copyEndpoint = EndpointReview(.postbackCopy, info[.copyEndpoint], urls)
    var groups = FindingGroups()
    let networks = AdNetworkReview(info, &groups)
    let configuration = ConfigurationReview(info, &groups)

    adAttribution.skAdNetworkIdentifiers = networks.skAdNetworkIdentifiers
    adAttribution.adNetworkIdentifiers = networks.adNetworkIdentifiers
    adAttribution.skAdNetworkCopySite = reportEndpoint.site
    adAttribution.adAttributionKitCopySite = copyEndpoint.site
    adAttribution.copyEndpoint = info[.copyEndpoint]?.string
    adAttribution.globalWindows = configuration.globalWindows
    adAttribution.networkWindows = configuration.networkWindows
    adAttribution.cooldowns = configuration.cooldowns
    adAttribution.hasOverlappingConversions =
      groups.boolean(info[.overlappingConversions], at: InfoDictionary.Key.overlappingConversions.rawValue) ?? false
    adAttribution.copiesReengagementPostbacks =
      groups.boolean(info[.reengagementCopies], at: InfoDictionary.Key.reengagementCopies.rawValue) ?? false

    if adAttribution.copiesReengagementPostbacks, copyEndpoint.site == nil, !copyEndpoint.isUnknown {
      groups.add(
        .reengagementCopiesWithoutEndpoint, at: InfoDictionary.Key.reengagementCopies.rawValue,
        "the app has no usable \(InfoDictionary.Key.copyEndpoint.rawValue), so devices send no copies. Add that key.")
    }
    groups.checkDictionary(info[.adAttributionKit])
    adAttribution.trackingUsageDescription = groups.trackingUsage(info[.trackingUsageDescription])
    findings = copyEndpoint.findings + groups.findings
    unknown = networks.unknown.union(copyEndpoint.isUnknown ? [.adAttributionKitAdvertiser] : [])
      .union(info[.trackingUsageDescription]?.containsBuildSetting == true ? [.tracking] : [])
  }
}

extension FindingGroups {
  /// Finds the key `AdAttributionKit` without a member. See `NestedKeys` for the members.
  fileprivate mutating func checkDictionary(_ value: PropertyListValue?) {
    guard let value else { return }
    if case .dictionary(let members) = value, !members.isEmpty { return }
    participations = [.adAttributionKitAdvertiser]
    add(
      .adAttributionKitDictionary, at: InfoDictionary.Key.adAttributionKit.rawValue,
      "Apple documents no such key, and devices ignore it. Write the URL for copies of postbacks as the value of "
        + "\(InfoDictionary.Key.copyEndpoint.rawValue), outside of a dictionary.",
      severity: value.string == nil ? .warning : .error)
  }

  /// Returns the beginning of the text of the tracking prompt, and reports an empty text.
  fileprivate mutating func trackingUsage(_ value: PropertyListValue?) -> String? {
    guard let value else { return nil }
    participations = [.tracking]
    let key = InfoDictionary.Key.trackingUsageDescription.rawValue
    guard let text = value.string else {
      addWrongType(at: key, expected: "a string", severity: .error)
      return nil
    }
    if text.unicodeScalars.allSatisfy({ $0.properties.isWhitespace || !$0.isVisible }) {
      add(
        .trackingUsageEmpty, at: key,
        "the text of the prompt for permission to track is empty. Apple requires one: write a sentence about the purpose.")
    }
    return text.truncated(to: 1_000)
  }
}

/// Notes about keys that have no effect on clicks.
struct AdKeysReview {
  let findings: [ManifestFinding]

  /// - Parameter values: The values that a device reads.
  init(_ info: InfoDictionary, _ values: AppAdAttribution) {
    var findings: [ManifestFinding] = []
    if info[.skAdNetworkItems] != nil {
      let count = values.skAdNetworkIdentifiers.count
      findings.append(
        ManifestFinding(
          .skAdNetworkItems,
          "SKAdNetworkItems lists \(count) ad network\(count == 1 ? "" : "s"). It serves app installs through "
            + "SKAdNetwork and has no effect on clicks."))
    }
    let present = InfoDictionary.attributionKeys.filter { key in
      info[key] != nil && AttributionKey.participations(of: key).allSatisfy { $0.measurement == .adattributionkit }
    }.map(\.rawValue)
    if !present.isEmpty {
      let verbs = present.count == 1 ? "configures AdAttributionKit and has" : "configure AdAttributionKit and have"
      findings.append(
        ManifestFinding(.adAttributionKitKeys, "\(present.joined(separator: ", ")) \(verbs) no effect on clicks."))
    }
    self.findings = findings
  }
}
