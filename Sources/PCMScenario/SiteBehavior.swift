package import PCMDelivery

/// What one simulated site does with the requests of a browser. Nil members leave what is set already, which at first is
/// what a good endpoint does.
package struct SiteBehavior: Hashable, Sendable {
  /// The site's token key.
  package enum Key: String, Hashable, Sendable, CaseIterable {
    case first
    case second
  }

  package struct Answer: Hashable, Sendable {
    /// Nil members are as in the good answer.
    package var status: Int?
    package var contentType: String?
    package var body: String?
    package var location: String?
    /// No answer at all, and why.
    package var failure: TransportFailure.Code?
    /// What the failure says of itself; nil for words about the scenario.
    package var failureDetail: String?
    /// Of signatures: one bit flipped, or the last byte missing.
    package var forged = false
    package var short = false

    package init() {}

    /// The answer of a good endpoint.
    package static let good = Answer()
  }

  package var key: Key?
  /// In order; the last one stays.
  package var report: [Answer]?
  package var tokenKey: [Answer]?
  package var sign: [Answer]?
  /// What pages answer, by path and query.
  package var loads: [String: [Answer]]

  package init(
    key: Key? = nil, report: [Answer]? = nil, tokenKey: [Answer]? = nil, sign: [Answer]? = nil,
    loads: [String: [Answer]] = [:]
  ) {
    self.key = key
    self.report = report
    self.tokenKey = tokenKey
    self.sign = sign
    self.loads = loads
  }
}
