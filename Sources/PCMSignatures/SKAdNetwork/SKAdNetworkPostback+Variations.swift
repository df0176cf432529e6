internal import PCMCore

extension SKAdNetworkPostback {
  /// What forwarders of postbacks often change.
  var variations: [Variation] { otherSources + otherCases + otherFidelities + otherFlags + otherIdentifiers }

  /// The same members as a postback of each other version.
  static func otherVersions(_ members: [JSON.Member], than version: SKAdNetworkVersion) -> [Variation] {
    SKAdNetworkVersion.allCases.filter { $0 != version }.compactMap { other in
      var reader = VersionedReader<PostbackMember>(MemberReader(members), version: other)
      return SKAdNetworkPostback(from: &reader).map { variation($0.signedText, "version \(other.rawValue)") }
    }
  }

  private var otherSources: [Variation] {
    switch source {
    case nil: [variation("source-app-id 0, which was left out") { $0.source = .app(0) }]
    case .app, .site: [variation("no source-app-id and no source-domain") { $0.source = nil }]
    }
  }

  private var otherCases: [Variation] {
    [
      variation("transaction-id in lower case") { $0.transactionIdentifier = transactionIdentifier.lowercased() },
      variation("transaction-id in upper case") { $0.transactionIdentifier = transactionIdentifier.uppercased() },
      variation("ad-network-id in lower case") { $0.adNetworkIdentifier = adNetworkIdentifier.lowercased() },
    ]
  }

  private var otherFidelities: [Variation] {
    guard let fidelity else { return [] }
    return [variation("fidelity-type \(fidelity.swapped.rawValue)") { $0.fidelity = fidelity.swapped }]
  }

  private var otherFlags: [Variation] {
    [
      isRedownload.map { flag in variation("redownload \(!flag)") { $0.isRedownload = !flag } },
      didWin.map { flag in variation("did-win \(!flag)") { $0.didWin = !flag } },
    ].compactMap { $0 }
  }

  /// A number loses the zeros in front.
  private var otherIdentifiers: [Variation] {
    guard case .source(let digits) = campaign else { return [] }
    return (1...2).map { String(repeating: "0", count: $0) + digits }.filter { $0.utf8.count <= 4 }.map { padded in
      variation("source-identifier \"\(padded)\"") { $0.campaign = .source(padded) }
    }
  }

  private func variation(_ name: String, _ change: (inout Self) -> Void) -> Variation {
    var changed = self
    change(&changed)
    return Self.variation(changed.signedText, name)
  }

  private static func variation(_ text: SignedText, _ name: String) -> Variation {
    Variation(text, "The signature verifies with \(name).", "Verify the members exactly as the device sent them.")
  }
}
