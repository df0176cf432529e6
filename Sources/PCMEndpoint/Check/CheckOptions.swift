package import PCMCore
package import PCMNetwork

/// The endpoint to check, and the parameters of the check.
package struct CheckOptions: Sendable {
  /// Any URL of the endpoint. Reports go to the well-known path on its registrable domain.
  package var endpoint: WebURL
  /// The postbacks to send instead of reports; nil for a report endpoint.
  package var postbacks: PostbackSubjects?
  package var role = Recipient.source
  package var route = NetworkRoute()
  package var nonces = NonceSource.none
  package var tokens = TokenPolicy.auto
  package var subjects = ReportSubjects()
  /// A pixel whose redirect to check; nil to check no pixel.
  package var pixel: WebURL?
  /// The selected rules by their identifiers or prefixes; empty for all rules.
  package var rules: [String] = []
  /// The seed of generated tokens and nonces. The same seed generates the same values, except for blinding.
  package var seed: UInt64 = 0
  package var patience = Patience()

  /// The requirement on the endpoint's tokens, which are optional.
  package enum TokenPolicy: String, Hashable, Sendable, CaseIterable {
    /// The rules about tokens apply when the endpoint serves a key.
    case auto
    /// An endpoint without a key fails.
    case required
    /// The key is not requested, and no rule about tokens applies.
    case off
  }

  /// The source of the nonces for which the endpoint signs.
  package enum NonceSource: Hashable, Sendable {
    case none
    /// Nonces that the endpoint minted. Three are used.
    case given([String])
    /// The endpoint is `pcm-browser receive`, which mints nonces and lists counted reports.
    case receiver(ReceiverAdmin)
  }

  /// The admin interface of `pcm-browser receive`.
  package struct ReceiverAdmin: Hashable, Sendable {
    /// `https://…/admin`, without a trailing slash.
    package let url: String
    /// The token for `Authorization: Bearer`.
    package let token: String?

    package init(url: String, token: String? = nil) {
      self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
      self.token = token
    }
  }

  /// Thresholds for the duration of an exchange.
  package struct Patience: Hashable, Sendable {
    /// A longer duration is a warning.
    package var good = Interval.seconds(2)
    /// A longer duration of a report is a more serious warning.
    package var tolerable = Interval.seconds(10)
    /// The timeout, as in browsers (`NetworkRoute.totalTimeout`).
    package var maximum = Interval.seconds(60)
    /// The timeout of a request after another request timed out.
    package var afterTimeout = Interval.seconds(15)
    /// The limit of the whole check.
    package var total = Interval.minutes(5)
  }

  var admin: ReceiverAdmin? {
    guard case .receiver(let admin) = nonces else { return nil }
    return admin
  }
}

extension CheckOptions {
  package init(endpoint: WebURL) { self.init(endpoint: endpoint, postbacks: nil) }
}

/// The messages that an endpoint receives.
package enum CheckKind: String, Hashable, Sendable, CaseIterable {
  /// Reports of Private Click Measurement.
  case report
  /// Postbacks of SKAdNetwork.
  case skadnetwork
  /// Postbacks of AdAttributionKit.
  case adattributionkit

  package init(_ framework: AdFramework) { self = framework == .skadnetwork ? .skadnetwork : .adattributionkit }

  /// The framework of the postbacks; nil for reports.
  package var framework: AdFramework? { AdFramework(rawValue: rawValue) }
}

/// The values of the check's reports, for an endpoint that accepts only its own campaigns or shops.
package struct ReportSubjects: Hashable, Sendable {
  /// The values of `source_id` that the endpoint accepts, 0 to 255; empty for all.
  package var sourceIDs: [Int64]
  /// The values of `trigger_data` that the endpoint accepts, 0 to 15; empty for all.
  package var triggerData: [Int64]
  /// The registrable domain of the other site of the click; nil for an example domain.
  package var otherSite: String?

  package init(sourceIDs: [Int64] = [], triggerData: [Int64] = [], otherSite: String? = nil) {
    self.sourceIDs = sourceIDs
    self.triggerData = triggerData
    self.otherSite = otherSite
  }

  /// Returns the other site of the reports to a recipient. The default is a name that is reserved for examples (RFC 2606).
  func otherSite(of role: Recipient) -> String {
    otherSite ?? (role == .source ? "destination.example" : "source.example")
  }

  /// The source ids of ordinary reports. The first report has the first source id.
  var ordinarySourceIDs: [Int64] { sourceIDs.isEmpty ? Array(7...14) : Array(sourceIDs.prefix(8)) }

  /// The trigger data of ordinary reports. The first report has the first value.
  var ordinaryTriggerData: [Int64] { triggerData.isEmpty ? Array(3...15) + Array(0...2) : Array(triggerData.prefix(16)) }

  /// Whether several values of a kind were given, so that some may be wrong.
  var areSeveralGiven: Bool { sourceIDs.count > 1 || triggerData.count > 1 }

  /// The values of the first report.
  var first: ReportValues { ReportValues(sourceID: ordinarySourceIDs[0], triggerData: ordinaryTriggerData[0]) }

  /// The smallest values within the given values; nil if both kinds of values are given.
  var smallest: ReportValues? { extreme(0, 0) }

  /// The largest values within the given values; nil if both kinds of values are given.
  var largest: ReportValues? { extreme(255, 15) }

  private func extreme(_ sourceID: Int64, _ triggerData: Int64) -> ReportValues? {
    guard sourceIDs.isEmpty || self.triggerData.isEmpty else { return nil }
    return ReportValues(
      sourceID: sourceIDs.isEmpty ? sourceID : first.sourceID,
      triggerData: self.triggerData.isEmpty ? triggerData : first.triggerData)
  }

  /// Reports that test each ordinary value, except for reports of other probes.
  var survey: [ReportValues] {
    let row = ordinaryTriggerData.map { ReportValues(sourceID: first.sourceID, triggerData: $0) }
    let column = ordinarySourceIDs.map { ReportValues(sourceID: $0, triggerData: first.triggerData) }
    return (row + column).filter { ![first, smallest, largest].contains($0) }
  }
}

/// The two numbers of a report.
struct ReportValues: Hashable, Sendable {
  let sourceID: Int64
  let triggerData: Int64

  /// Returns the members of a report without tokens.
  ///
  /// - Parameters:
  ///   - site: The site of the endpoint.
  ///   - other: The other site.
  func members(of role: Recipient, at site: String, other: String, version: Int64 = ReportBody.version) -> [JSON.Member] {
    let sites = role == .source ? (site, other) : (other, site)
    return [
      .init("source_engagement_type", "click"), .init("source_site", .string(sites.0)), .init("source_id", .number(sourceID)),
      .init("attributed_on_site", .string(sites.1)), .init("trigger_data", .number(triggerData)),
      .init("version", .number(version)),
    ]
  }
}
