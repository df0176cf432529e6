internal import Crypto
package import PCMCore
package import PCMCrypto
package import PCMVerify

/// A postback or a report in a log, with the values that recognize its copies.
package struct LoggedItem: Sendable {
  package let verdict: SignatureVerdict
  /// The identities of the postback, or of the tokens of the report: the first 16 bytes of a SHA-256 hash each. Empty for an item that
  /// a forger can have made.
  package let identities: [SIMD2<UInt64>]
  package let values: UnsignedValues

  /// - Parameters:
  ///   - members: The members of a postback; nil for another item.
  ///   - place: The URL that received the postback; empty if it is unknown.
  package init(_ verdict: SignatureVerdict, _ members: PostbackMembers?, place: String) {
    (self.verdict, values) = (verdict, UnsignedValues(postback: verdict))
    guard verdict.outcome == .valid, let identity = members?.identity else {
      identities = []
      return
    }
    // Apple's examples of several versions have one identifier.
    let parts = [place, identity.framework.rawValue, verdict.version ?? "", identity.identifier, "\(identity.sequenceIndex)"]
    identities = [Self.identity(parts.map { Array($0.utf8) })]
  }

  /// - Parameters:
  ///   - host: The host that received the report; empty if it is unknown.
  ///   - keys: Returns the token keys of a site.
  package init(report: JSON, host: String, keys: (_ site: String) -> [TokenPublicKey]) {
    values = UnsignedValues(report: report)
    let received: ReceivedReport
    do throws(RequestError) {
      received = try ReceivedReport(body: report.bytes)
    } catch {
      verdict = SignatureVerdict(framework: nil, subject: nil, faults: [Fault("", error.detail)])
      identities = []
      return
    }
    var (faults, notes, sites, key) = ([Fault](), [Fault](), [String](), SignatureVerdict.Key?.none)
    var found: [SIMD2<UInt64>] = []
    for recipient in Recipient.allCases {
      guard let pair = received.pairs[recipient] else { continue }
      let site = received.signer(of: recipient)
      let (verdict, token) = pair.verdict(among: keys(site))
      switch verdict {
      case .verified(let id), .duplicate(let id):
        key = key ?? SignatureVerdict.Key(name: id.text, use: "the token key of \(site)")
      case .unverified:
        notes.append(
          Fault("/\(recipient.rawValue)_secret_token", "The token is not verified: the key of \(site) is not given."))
        sites.append(site)
      case .rejected(_, let detail): faults.append(Fault("/\(recipient.rawValue)_secret_token", detail))
      }
      if let token { found.append(Self.identity([Array(host.utf8), Array(recipient.rawValue.utf8), token.bytes])) }
    }
    if received.pairs.isEmpty {
      notes.append(Fault("", "The report has no token: a device sends it without fraud prevention."))
    }
    let remedy = sites.first.map { site in
      SignatureRemedy(instruction: "Pass the public key of the site with --token-key \(site.asShown(upTo: 60))=FILE.")
    }
    verdict = SignatureVerdict(
      framework: nil, subject: nil, version: "\(received.version)", key: key, check: key == nil ? .notChecked : .verifies,
      unsigned: report.members.filter { !$0.name.contains("_secret_token") }, faults: faults, notes: notes, remedy: remedy,
      isUnverifiable: key == nil && faults.isEmpty)
    identities = faults.isEmpty ? found : []
  }

  private static func identity(_ parts: [[UInt8]]) -> SIMD2<UInt64> {
    var hash = SHA256()
    for part in parts {
      hash.update(data: part)
      hash.update(data: [0])
    }
    let bytes = Array(hash.finalize())
    return bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD2<UInt64>.self) }
  }
}
