package import PCMCore
import PCMNetwork
import PCMSimulatedSites

extension Scenario {
  /// The registration of an ad network.
  package struct AdNetwork: Hashable, Sendable {
    package let identifier: String
    package let publicKey: String
    package let postbackURL: String
    package let place: SourcePlace

    /// - Parameters:
    ///   - publicKey: The network's key; nil for the published test key.
    ///   - postbackURL: The URL of postbacks; nil for one on a host with the first part of the identifier.
    package init(_ identifier: String, publicKey: String? = nil, postbackURL: String? = nil, place: SourcePlace) {
      self.identifier = identifier
      self.publicKey = publicKey ?? TestAdNetwork.publicKey
      self.postbackURL = postbackURL ?? "https://\(identifier.lowercased().prefix { $0 != "." }).example/postbacks"
      self.place = place
    }

    /// The body of the API's call.
    package var registration: JSON { ["publicKey": .string(publicKey), "postbackURL": .string(postbackURL)] }
  }

  /// The ad that a step refers to.
  package enum DisplayedAd: Hashable, Sendable {
    /// The ad of the latest step that displayed one.
    case latest
    /// The ad of the step with a name.
    case step(String)
    /// The ad with an identifier of the API.
    case identifier(String)
  }
}

/// The ads that the steps of a run displayed.
struct DisplayedAds: Sendable {
  private var latest: String?
  private var byStep: [String: String] = [:]

  /// Records the identifier that the API gave an ad.
  mutating func add(_ identifier: String, step: String) {
    latest = identifier
    byStep[step] = identifier
  }

  /// Returns the identifier of an ad; nil when no earlier step displayed it.
  subscript(ad: Scenario.DisplayedAd) -> String? {
    switch ad {
    case .latest: latest
    case .step(let name): byStep[name]
    case .identifier(let identifier): identifier
    }
  }
}
