/// Notices what belongs to Apple's other attribution systems, so that nobody takes it for this one.
struct AdKeysReview {
  let findings: [ManifestFinding]

  init(_ info: InfoDictionary) {
    var findings: [ManifestFinding] = []
    if let items = info.skAdNetworkItems {
      let count = items.elements.count
      findings.append(
        ManifestFinding(
          .skAdNetworkItems,
          "SKAdNetworkItems lists \(count) ad network\(count == 1 ? "" : "s"). It serves app installs through SKAdNetwork and "
            + "has no effect here."))
    }
    let keys: [(key: InfoDictionary.CodingKeys, value: PropertyListValue?)] = [
      (.adNetworkIdentifiers, info.adNetworkIdentifiers), (.attributionCopyEndpoint, info.attributionCopyEndpoint),
      (.adAttributionKit, info.adAttributionKit),
    ]
    let present = keys.filter { $0.value != nil }.map(\.key.rawValue)
    if !present.isEmpty {
      findings.append(
        ManifestFinding(
          .adAttributionKitKeys,
          "\(present.joined(separator: ", ")): for app installs and re-engagement through AdAttributionKit, no effect here."
        ))
    }
    self.findings = findings
  }
}
