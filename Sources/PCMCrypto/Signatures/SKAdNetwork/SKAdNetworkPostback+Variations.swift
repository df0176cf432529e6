internal import PCMCore

extension SKAdNetworkPostback {
  /// What forwarders of postbacks often change. A change that has no effect has the text that does not verify.
  var variations: [Variation] {
    var changes: [(name: String, change: (inout Self) -> Void)] = [
      source == nil
        ? ("source-app-id 0, which was left out", { $0.source = .app(0) })
        : ("no source-app-id and no source-domain", { $0.source = nil }),
      ("transaction-id in lower case", { $0.transactionIdentifier = $0.transactionIdentifier.lowercased() }),
      ("transaction-id in upper case", { $0.transactionIdentifier = $0.transactionIdentifier.uppercased() }),
      ("ad-network-id in lower case", { $0.adNetworkIdentifier = $0.adNetworkIdentifier.lowercased() }),
    ]
    if let other = fidelity?.swapped { changes.append(("fidelity-type \(other.rawValue)", { $0.fidelity = other })) }
    if let flag = isRedownload { changes.append(("redownload \(!flag)", { $0.isRedownload = !flag })) }
    if let flag = didWin { changes.append(("did-win \(!flag)", { $0.didWin = !flag })) }
    if case .source(let digits) = campaign {
      // A number loses the zeros in front.
      for padded in ["0" + digits, "00" + digits] where padded.utf8.count <= 4 {
        changes.append(("source-identifier \"\(padded)\"", { $0.campaign = .source(padded) }))
      }
    }
    return changes.map { name, change in
      var changed = self
      change(&changed)
      return Self.variation(changed.signedText, name)
    }
  }

  static func variation(_ text: SignedText, _ name: String) -> Variation {
    Variation(text, "The signature verifies with \(name).", "Verify the members exactly as the device sent them.")
  }
}
