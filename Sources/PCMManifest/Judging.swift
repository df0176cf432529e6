import PCMCore

/// Judges each part that an app can take in a measurement.
struct Judging {
  /// The parts for which the manifest has a key, valid or misspelled.
  let used: Set<Participation>
  /// The parts whose values are build settings.
  let unknown: Set<Participation>
  let values: AppAdAttribution

  func judgments(_ findings: [ManifestFinding]) -> [Judgment] {
    let errors = findings.filter { $0.severity == .error }
    let bad = errors.reduce(into: Set<Participation>()) { $0.formUnion($1.participations) }
    return Participation.allCases.map { part in
      let verdict: Judgment.Verdict =
        bad.contains(part) ? .bad : unknown.contains(part) ? .unknown : used.contains(part) ? .good : .unused
      return Judgment(participation: part, verdict: verdict, detail: detail(of: part, verdict, errors))
    }
  }

  private func detail(of part: Participation, _ verdict: Judgment.Verdict, _ errors: [ManifestFinding]) -> String {
    switch verdict {
    case .good: good(part)
    case .bad where part == .clicks: "clicks from this app are discarded"
    case .bad where part == .tracking: errors.first { $0.participations.contains(part) }?.clause ?? "see the errors"
    case .bad: "see the errors"
    case .unknown: "the value is a build setting; pass the Info.plist of the built app"
    case .unused: Self.unused(part)
    }
  }

  private func good(_ part: Participation) -> String {
    switch part {
    case .clicks: "a browser keeps clicks from this app"
    case .skAdNetworkPublisher: Self.counted(values.skAdNetworkIdentifiers)
    case .adAttributionKitPublisher: Self.counted(values.adNetworkIdentifiers)
    case .skAdNetworkAdvertiser: Self.copies(values.skAdNetworkCopyURL)
    case .adAttributionKitAdvertiser: Self.copies(values.adAttributionKitCopyURL)
    case .tracking: "the prompt for permission to track has a text"
    }
  }

  private static func counted(_ networks: [String]) -> String {
    "\(networks.count) ad network\(networks.count == 1 ? "" : "s")"
  }

  private static func copies(_ url: String?) -> String {
    url.map { "copies of postbacks go to \($0)" } ?? "no copies of postbacks"
  }

  private static func unused(_ part: Participation) -> String {
    switch part {
    case .clicks: "no \(InfoDictionary.Key.endpoint.rawValue)"
    case .skAdNetworkPublisher: "no ad networks in \(InfoDictionary.Key.skAdNetworkItems.rawValue)"
    case .adAttributionKitPublisher: "no ad networks in \(InfoDictionary.Key.adNetworkIdentifiers.rawValue)"
    case .skAdNetworkAdvertiser, .adAttributionKitAdvertiser: "no copies of postbacks; an advertised app needs no key"
    case .tracking:
      "\(InfoDictionary.Key.trackingUsageDescription.rawValue) is missing; an app that requests permission to track needs it"
    }
  }
}
