package import PCMCore
package import PCMDelivery

/// What is to be examined, and how.
package struct CheckOptions: Sendable {
  /// Any URL of the endpoint: reports go to the well-known path at its registrable domain.
  package var endpoint: WebURL
  package var role: CheckReport.Role
  package var route: NetworkRoute
  package var nonces: NonceSource
  package var tokens: TokenPolicy
  package var subjects: ReportSubjects
  /// A pixel whose redirect is looked at; nil for none.
  package var pixel: WebURL?
  /// Rules by their ids or beginnings of them; empty for all.
  package var rules: [String]
  /// Decides the tokens and nonces that are made up: the same seed, the same ones. The blinding has a chance of its own.
  package var seed: UInt64
  package var patience: Patience

  package init(
    endpoint: WebURL, role: CheckReport.Role = .source, route: NetworkRoute = NetworkRoute(), nonces: NonceSource = .none,
    tokens: TokenPolicy = .auto, subjects: ReportSubjects = ReportSubjects(), pixel: WebURL? = nil, rules: [String] = [],
    seed: UInt64 = 0, patience: Patience = Patience()
  ) {
    self.endpoint = endpoint
    self.role = role
    self.route = route
    self.nonces = nonces
    self.tokens = tokens
    self.subjects = subjects
    self.pixel = pixel
    self.rules = rules
    self.seed = seed
    self.patience = patience
  }

  /// What is expected of the endpoint's tokens, which an endpoint need not offer.
  package enum TokenPolicy: String, Hashable, Sendable, CaseIterable {
    /// The rules about tokens apply when the endpoint serves a key.
    case auto
    /// An endpoint without a key fails.
    case required
    /// The key is not requested, and no rule about tokens applies.
    case off
  }

  /// Where nonces come from that the endpoint signs for.
  package enum NonceSource: Hashable, Sendable {
    case none
    /// As the endpoint minted them. Three are used.
    case given([String])
    /// The endpoint is `pcm-browser receive`: nonces are minted there, and what was counted is read there.
    case receiver(ReceiverAdmin)
  }

  /// The admin surface of `pcm-browser receive`.
  package struct ReceiverAdmin: Hashable, Sendable {
    /// `https://…/admin`, without a slash at its end.
    package let url: String
    /// What it asks for as `Authorization: Bearer`.
    package let token: String?

    package init(url: String, token: String? = nil) {
      self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
      self.token = token
    }
  }

  /// How long an answer may take.
  package struct Patience: Hashable, Sendable {
    /// Longer is worth a warning.
    package let good: Interval
    /// Longer is an error.
    package let tolerable: Interval
    /// Nobody waits longer.
    package let most: Interval

    package init(good: Interval = .seconds(2), tolerable: Interval = .seconds(10), most: Interval = .seconds(15)) {
      self.good = good
      self.tolerable = tolerable
      self.most = most
    }
  }

  var admin: ReceiverAdmin? {
    guard case .receiver(let admin) = nonces else { return nil }
    return admin
  }
}

/// What the examination's reports are about, for an endpoint that knows only its campaigns or shops.
package struct ReportSubjects: Hashable, Sendable {
  /// The values of `source_id` that the endpoint knows, 0 to 255; empty for all of them.
  package var sourceIDs: [Int64]
  /// The values of `trigger_data` that the endpoint knows, 0 to 15; empty for all of them.
  package var triggerData: [Int64]
  /// The registrable domain on the other side of the click; nil for a made-up one.
  package var otherSite: String?

  package init(sourceIDs: [Int64] = [], triggerData: [Int64] = [], otherSite: String? = nil) {
    self.sourceIDs = sourceIDs
    self.triggerData = triggerData
    self.otherSite = otherSite
  }

  /// The source ids of the examination's ordinary reports. The first is that of the first report.
  var ordinarySourceIDs: [Int64] { sourceIDs.isEmpty ? Array(7...14) : Array(sourceIDs.prefix(8)) }

  /// The trigger data of the examination's ordinary reports. The first is that of the first report.
  var ordinaryTriggerData: [Int64] { triggerData.isEmpty ? Array(3...15) + Array(0...2) : Array(triggerData.prefix(16)) }

  /// Whether several values of a kind were given, of which some may be wrong.
  var areSeveralGiven: Bool { sourceIDs.count > 1 || triggerData.count > 1 }

  /// The values of the first report.
  var first: ReportValues { ReportValues(ordinarySourceIDs[0], ordinaryTriggerData[0]) }

  /// The smallest values, as far as the endpoint is said to know them; nil when it knows given ones alone.
  var smallest: ReportValues? { extreme(0, 0) }

  /// The largest values, as far as the endpoint is said to know them; nil when it knows given ones alone.
  var largest: ReportValues? { extreme(255, 15) }

  private func extreme(_ sourceID: Int64, _ triggerData: Int64) -> ReportValues? {
    guard self.sourceIDs.isEmpty || self.triggerData.isEmpty else { return nil }
    return ReportValues(
      self.sourceIDs.isEmpty ? sourceID : first.sourceID, self.triggerData.isEmpty ? triggerData : first.triggerData)
  }

  /// Reports that show one by one which of the ordinary values the endpoint accepts, besides those that are sent anyway.
  var survey: [ReportValues] {
    let row = ordinaryTriggerData.map { ReportValues(first.sourceID, $0) }
    let column = ordinarySourceIDs.map { ReportValues($0, first.triggerData) }
    return (row + column).filter { ![first, smallest, largest].contains($0) }
  }
}

/// The two numbers of a report.
struct ReportValues: Hashable, Sendable {
  let sourceID: Int64
  let triggerData: Int64

  init(_ sourceID: Int64, _ triggerData: Int64) {
    self.sourceID = sourceID
    self.triggerData = triggerData
  }
}
