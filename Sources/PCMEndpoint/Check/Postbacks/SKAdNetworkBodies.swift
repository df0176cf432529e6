import PCMCore
import PCMCrypto

/// The bodies of a check of an SKAdNetwork endpoint.
struct SKAdNetworkBodies {
  private let keys: TestKeys
  private let seed: UInt64

  init(seed: UInt64) throws(SigningError) {
    keys = try TestKeys()
    self.seed = seed
  }

  func all(trustsTestKeys: Bool) throws(SigningError) -> [Probe: [ProbeBody]] {
    let valid = try testSigned
    return [
      .postback: [ProbeBody("Apple's example of 4.0", AppleExamples.skadnetwork4)],
      .postbackVariants: [
        ProbeBody("as version 3.0", AppleExamples.skadnetwork3), ProbeBody("signed with a test key", valid[0].bytes),
      ],
      .olderPostbacks: [
        ProbeBody("a published postback of 1.0", AppleExamples.skadnetwork1),
        ProbeBody("a published postback of 2.0", AppleExamples.skadnetwork2),
        ProbeBody("Apple's example of 2.1", AppleExamples.skadnetwork21),
        ProbeBody("Apple's example of 2.2", AppleExamples.skadnetwork22),
        ProbeBody("Apple's example of 3.0", AppleExamples.skadnetwork3),
      ],
      .runnerUpPostback: [ProbeBody("Apple's example with did-win false", AppleExamples.runnerUp)],
      .testPostbacks: trustsTestKeys ? valid : [],
      .forgedPostbacks: forged + (trustsTestKeys ? [] : Array(valid.prefix(1))),
      .invalidPostbacks: try invalid,
      .malformedPostbacks: ProbeBody.shapeless + misshapen,
      .oversizedPostback: [ProbeBody.oversized],
    ]
  }

  /// A winning postback of version 4.0.
  private var plain: SKAdNetworkPostback {
    SKAdNetworkPostback(
      version: .v4, adNetworkIdentifier: "com.example", campaign: .source("5239"), itemIdentifier: 525_463_029,
      transactionIdentifier: seed.postbackIdentifier(0), isRedownload: false, source: .app(1_234_567_891),
      fidelity: .storeKitRendered, didWin: true, sequenceIndex: 0, conversionValue: .fine(20))
  }

  /// Valid postbacks of all versions, starting with 4.0.
  private var testSigned: [ProbeBody] {
    get throws(SigningError) {
      var later = plain
      (later.campaign, later.source, later.sequenceIndex) = (.source("39"), nil, 1)
      later.conversionValue = .coarse(.medium)
      var last = later
      (last.sequenceIndex, last.conversionValue) = (2, .coarse(.high))
      var view = plain
      (view.fidelity, view.source, view.conversionValue) = (.viewThrough, nil, nil)
      var loser = plain
      (loser.didWin, loser.source, loser.conversionValue) = (false, nil, nil)
      var bodies = [ProbeBody("a test-signed postback of 4.0", try signed(plain, 0))]
      bodies.append(ProbeBody("a test-signed postback with the sequence index 1", try signed(later, 1)))
      bodies.append(ProbeBody("a test-signed postback with the sequence index 2", try signed(last, 2)))
      bodies.append(ProbeBody("a test-signed postback of a view", try signed(view, 3)))
      bodies.append(ProbeBody("a test-signed postback with did-win false", try signed(loser, 4)))
      for (index, version) in SKAdNetworkVersion.allCases.dropLast().enumerated() {
        bodies.append(ProbeBody("a test-signed postback of \(version.rawValue)", try signed(older(version), 5 + index)))
      }
      return bodies
    }
  }

  /// Returns a postback of a version before 4.0.
  private func older(_ version: SKAdNetworkVersion, campaign: Int64 = 42) -> SKAdNetworkPostback {
    SKAdNetworkPostback(
      version: version, adNetworkIdentifier: "com.example", campaign: .campaign(campaign), itemIdentifier: 525_463_029,
      transactionIdentifier: seed.postbackIdentifier(0), isRedownload: version == .v1 ? nil : false,
      fidelity: version < .v22 ? nil : .storeKitRendered, didWin: version < .v3 ? nil : true)
  }

  /// Signs the postback as it is, including values that no device sends.
  ///
  /// - Parameters:
  ///   - index: The number in the identifier.
  ///   - members: Additional members.
  private func signed(
    _ postback: SKAdNetworkPostback, _ index: Int, adding members: [JSON.Member] = []
  ) throws(SigningError) -> [UInt8] {
    var postback = postback
    postback.transactionIdentifier = seed.postbackIdentifier(index)
    do throws(KeyError) {
      let signature = try keys.skadnetwork(postback.version).sign(postback.signedText.bytes)
      return JSON.object(postback.json(signature: signature).members + members).bytes
    } catch {
      throw .key(error)
    }
  }

  /// Postbacks with Apple's signatures for other values.
  private var forged: [ProbeBody] {
    func changed(_ name: String, _ value: JSON, of text: String = AppleExamples.skadnetwork4) -> [UInt8] {
      text.settingMember(name, value)
    }
    return [
      ProbeBody("a postback with a changed app-id", changed("app-id", 525_463_030)),
      ProbeBody("a postback with a changed source-identifier", changed("source-identifier", "5238")),
      ProbeBody("a postback with a changed did-win", changed("did-win", .bool(true), of: AppleExamples.runnerUp)),
      ProbeBody("a postback with another version", changed("version", "2.2", of: AppleExamples.skadnetwork21)),
      ProbeBody("a postback of the unknown version 5.0", changed("version", "5.0")),
      ProbeBody("a repeated postback with another conversion-value", changed("conversion-value", 1)),
    ]
  }

  private var invalid: [ProbeBody] {
    get throws(SigningError) {
      func source(_ digits: String) -> SKAdNetworkPostback {
        var postback = plain
        postback.campaign = .source(digits)
        return postback
      }
      var later = plain
      (later.campaign, later.source, later.sequenceIndex) = (.source("39"), nil, 1)
      var outOfRange = later
      (outOfRange.sequenceIndex, outOfRange.conversionValue) = (3, .coarse(.low))
      var large = plain
      large.conversionValue = .fine(64)
      let coarse = JSON.Member("coarse-conversion-value", "low")
      return [
        ProbeBody("a postback with a fine and a coarse value", try signed(plain, 20, adding: [coarse])),
        ProbeBody("a fine value with the sequence index 1", try signed(later, 21)),
        ProbeBody("a postback with the sequence index 3", try signed(outOfRange, 22)),
        ProbeBody("a source-identifier of one digit", try signed(source("5"), 23)),
        ProbeBody("a source-identifier of five digits", try signed(source("52391"), 24)),
        ProbeBody("a campaign-id of 0", try signed(older(.v3, campaign: 0), 25)),
        ProbeBody("a campaign-id of 101", try signed(older(.v3, campaign: 101), 26)),
        ProbeBody("a conversion-value of 64", try signed(large, 27)),
      ]
    }
  }

  /// Postbacks with members of wrong types, or without a signature.
  private var misshapen: [ProbeBody] {
    let (older, newer) = (AppleExamples.skadnetwork3, AppleExamples.skadnetwork4)
    return [
      ProbeBody("a postback with text for campaign-id", older.settingMember("campaign-id", "42")),
      ProbeBody("a postback with text for redownload", older.settingMember("redownload", "true")),
      ProbeBody("a postback with a number for did-win", older.settingMember("did-win", 1)),
      ProbeBody("a postback with text for app-id", newer.settingMember("app-id", "525463029")),
      ProbeBody("a postback with a number for source-identifier", newer.settingMember("source-identifier", 5239)),
      ProbeBody("a postback without a signature", newer.settingMember("attribution-signature", nil)),
      ProbeBody("a postback whose signature is not Base64", newer.settingMember("attribution-signature", "*")),
    ]
  }
}

extension String {
  /// Returns a JSON object with another value for a member, or without the member.
  func settingMember(_ name: String, _ value: JSON?) -> [UInt8] {
    let members = JSON(parsing: Array(utf8), keepingNumbers: true)?.members ?? []
    return JSON.object(members.compactMap { $0.name == name ? value.map { JSON.Member(name, $0) } : $0 }).bytes
  }
}
