import PCMCore
package import PCMCrypto
package import PCMNetwork

/// A message of a load test.
package struct LoadMessage: Sendable {
  package enum Form: Hashable, Sendable {
    case ordinary
    /// The bytes of an earlier postback, which a device sends again after a response other than success.
    case duplicate
    /// Its signature is invalid, so an endpoint should refuse it.
    case forged
  }

  package let number: Int
  package let kind: CheckKind
  package let form: Form
  package let request: OutgoingRequest
}

/// Generates the messages of a load test in their order. Each is distinct, but for duplicates.
///
/// The values follow a mix in which a few campaigns and small values are frequent. Postbacks have the members of the four tiers of
/// crowd anonymity in equal shares.
package struct LoadTraffic: Sendable {
  private let options: LoadOptions
  private let keys: TestKeys
  private let signer: JWSSigner
  private let impostor: JWSSigner
  private let identifiers: UInt64
  private var draws: SplitMix64
  private var number = 0
  /// The latest postbacks with a valid signature, which duplicates repeat.
  private var latest: [LoadMessage] = []
  private var tokens: ArraySlice<SignedToken>

  /// - Parameter tokens: The tokens of the first reports. Later reports have none.
  package init(_ options: LoadOptions, tokens: [SignedToken] = []) throws(SigningError) {
    self.options = options
    keys = try TestKeys()
    signer = try keys.signer(.production)
    impostor = try JWSSigner(.production, with: keys.adNetwork)
    identifiers = SplitMix64.mix(options.seed)
    draws = SplitMix64(seed: options.seed)
    self.tokens = tokens[...]
  }

  /// Returns the next messages: the given number, or fewer at the end.
  package mutating func next(_ count: Int) throws(SigningError) -> [LoadMessage] {
    var messages: [LoadMessage] = []
    messages.reserveCapacity(count)
    while messages.count < count, number < options.count { messages.append(try next()) }
    return messages
  }

  private mutating func next() throws(SigningError) -> LoadMessage {
    defer { number += 1 }
    let (share, chance) = (draws.unit(), draws.unit())
    let kind = kind(at: share)
    guard let framework = kind.framework else { return report(isForged: chance < options.forged) }
    if chance >= options.forged, chance < options.forged + options.duplicates, let repeated = repeated(kind) { return repeated }
    let isForged = chance < options.forged
    let body = framework == .skadnetwork ? try skadnetwork(isForged) : try adAttributionKit(isForged)
    let request = DeviceRequest.postback(url: options.url(of: kind), body: String(decoding: body, as: UTF8.self))
    let message = LoadMessage(number: number, kind: kind, form: isForged ? .forged : .ordinary, request: request)
    if !isForged { remember(message) }
    return message
  }

  private func kind(at share: Double) -> CheckKind {
    var end = 0.0
    for entry in options.kind.shares {
      end += entry.share
      if share < end { return entry.kind }
    }
    return options.kind.shares[0].kind
  }

  private static let latestCount = 256

  private mutating func remember(_ message: LoadMessage) {
    if latest.count < Self.latestCount { return latest.append(message) }
    latest[message.number % Self.latestCount] = message
  }

  private mutating func repeated(_ kind: CheckKind) -> LoadMessage? {
    let place = draws.below(max(latest.count, 1))
    guard let message = (latest[place...] + latest[..<place]).first(where: { $0.kind == kind }) else { return nil }
    return LoadMessage(number: number, kind: kind, form: .duplicate, request: message.request)
  }
}

extension LoadTraffic {
  private mutating func report(isForged: Bool) -> LoadMessage {
    let (subjects, role) = (options.subjects, options.role)
    let values = ReportValues(
      sourceID: subjects.sourceIDs.isEmpty
        ? Int64(draws.skewed(256)) : subjects.sourceIDs[draws.below(subjects.sourceIDs.count)],
      triggerData: subjects.triggerData.isEmpty
        ? Int64(draws.skewed(16)) : subjects.triggerData[draws.below(subjects.triggerData.count)])
    var members = values.members(of: role, at: options.endpoint.site.domain, other: subjects.otherSite(of: role))
    let token = tokens.popFirst()
    let isForged = isForged && token != nil
    if var token {
      if isForged { token = token.withInvalidSignature }
      members += role.tokenMembers(token.token.bytes, signature: token.signature)
    }
    let request = BrowserRequest.report(url: options.url(of: .report), body: JSON.object(members).text)
    return LoadMessage(number: number, kind: .report, form: isForged ? .forged : .ordinary, request: request)
  }

  /// The privacy tier of a postback, 0 to 3, and its place in the sequence.
  private mutating func tier() -> (tier: Int, index: Int64, didWin: Bool) {
    let (tier, didWin) = (draws.below(4), draws.below(10) > 0)
    return (tier, didWin ? [0, 0, 0, 1, 2][draws.below(5)] : 0, didWin)
  }

  /// The last digits of a campaign's source identifier.
  private mutating func campaign(_ tier: Int, _ index: Int64) -> String {
    let number = String(10_000 + draws.skewed(10_000))
    return String(number.suffix(index > 0 ? 2 : [2, 2, 3, 4][tier]))
  }

  private mutating func conversionValue(_ tier: Int, _ index: Int64, _ didWin: Bool) -> ConversionValue? {
    guard didWin, tier > 0 else { return nil }
    if tier > 1, index == 0 { return .fine(Int64(draws.skewed(64))) }
    return .coarse([.low, .low, .medium, .high][draws.below(4)])
  }

  private mutating func skadnetwork(_ isForged: Bool) throws(SigningError) -> [UInt8] {
    let version: SKAdNetworkVersion = [.v22, .v3][safe: draws.below(20)] ?? .v4
    var (tier, index, didWin) = tier()
    if version < .v4 { index = 0 }
    if version < .v3 { didWin = true }
    var postback = SKAdNetworkPostback(
      version: version, adNetworkIdentifier: "example123.skadnetwork",
      campaign: version == .v4 ? .source(campaign(tier, index)) : .campaign(Int64(1 + draws.skewed(100))),
      itemIdentifier: Self.advertisedItem, transactionIdentifier: identifiers.postbackIdentifier(number),
      isRedownload: draws.below(6) == 0, fidelity: draws.below(4) == 0 ? .viewThrough : .storeKitRendered)
    if tier == 3, didWin, index == 0 { postback.source = .app(Self.sourceItem) }
    if version >= .v3 { postback.didWin = didWin }
    if version == .v4 { postback.sequenceIndex = index }
    let value = conversionValue(version < .v4 && tier > 0 ? 2 : tier, index, didWin)
    postback.conversionValue = value
    let key = keys.skadnetwork(version)
    guard isForged else { return try postback.body(signedBy: key) }
    var other = postback
    other.itemIdentifier += 1
    do throws(KeyError) {
      return postback.json(signature: try key.sign(other.signedText.bytes)).bytes(.escaped)
    } catch {
      throw .key(error)
    }
  }

  private mutating func adAttributionKit(_ isForged: Bool) throws(SigningError) -> [UInt8] {
    let (tier, index, didWin) = tier()
    let conversion: ConversionType = [.redownload, .reengagement][safe: draws.below(8)] ?? .download
    var postback = AdAttributionKitPostback(
      postbackIdentifier: identifiers.postbackIdentifier(number), sequenceIndex: index,
      adNetworkIdentifier: "example.adattributionkit", sourceIdentifier: campaign(tier, index),
      advertisedItemIdentifier: Self.advertisedItem, conversionType: conversion, didWin: didWin,
      marketplaceIdentifier: "com.apple.AppStore", conversionValue: conversionValue(tier, index, didWin),
      interactionType: conversion == .reengagement || draws.below(4) > 0 ? .click : .view)
    if tier == 3, didWin, index == 0 {
      postback.publisherItemIdentifier = Self.sourceItem
      postback.countryCode = ["US", "DE", "JP", "BR"][draws.below(4)]
    }
    return try postback.body(signedBy: isForged ? impostor : signer)
  }

  /// The App Store identifier of the advertised app.
  private static let advertisedItem: Int64 = 525_463_029
  /// The App Store identifier of the app that displays the ads.
  private static let sourceItem: Int64 = 1_234_567_891
}

extension SplitMix64 {
  /// Returns a number below a limit, all with the same probability.
  fileprivate mutating func below(_ limit: Int) -> Int { Int(unit() * Double(limit)) }

  /// Returns a number below a limit. Small numbers are frequent: half of them are in the first eighth.
  fileprivate mutating func skewed(_ limit: Int) -> Int {
    let unit = unit()
    return Int(unit * unit * unit * Double(limit))
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

extension SignedToken {
  /// The token with its signature's first byte changed.
  fileprivate var withInvalidSignature: SignedToken {
    var changed = signature
    changed[0] ^= 1
    return SignedToken(token: token, signature: changed, keyID: keyID)
  }
}
