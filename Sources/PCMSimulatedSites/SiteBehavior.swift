package import PCMCore
package import PCMNetwork

/// The behavior of a simulated site. Nil members leave the current behavior unchanged. A site begins as a good
/// endpoint.
package struct SiteBehavior: Hashable, Sendable {
  /// The site's token key.
  package enum Key: String, Hashable, Sendable, CaseIterable {
    case first
    case second
  }

  package struct Response: Hashable, Sendable {
    /// Nil members have the values of a good endpoint's response.
    package var status: Int?
    package var contentType: String?
    package var body: String?
    package var location: String?
    /// The field `Cross-Origin-Resource-Policy`; nil for none.
    package var resourcePolicy: String?
    /// The reason for no response.
    package var failure: TransportFailure.Code?
    /// The detail of the failure; nil for a default.
    package var failureDetail: String?
    /// For signatures: whether one bit is flipped, or the last byte is missing.
    package var forged = false
    package var short = false
    /// For signed values of a web ad: the values that differ from the test ad, by their names in the API; null for
    /// none.
    package var ad = JSON.null
    /// For signed values of a web ad: the values that are signed instead of the values in the response; null for none.
    package var signedAs = JSON.null

    package init() {}

    /// The response of a good endpoint.
    package static let good = Response()
  }

  package var key: Key?
  /// The responses in order, by the name of their list: the name of a kind of request, or the path and query of a page. The last
  /// one is used repeatedly.
  package private(set) var lists: [String: [Response]]

  package init(
    key: Key? = nil, report: [Response]? = nil, tokenKey: [Response]? = nil, sign: [Response]? = nil,
    postback: [Response]? = nil, signedPayload: [Response]? = nil, sdkRequest: [Response]? = nil,
    loads: [String: [Response]] = [:]
  ) {
    self.key = key
    lists = loads
    let lists: [RequestTarget.Kind: [Response]?] = [
      .report: report, .tokenKey: tokenKey, .sign: sign, .postback: postback, .signedPayload: signedPayload,
      .sdkRequest: sdkRequest,
    ]
    for (kind, responses) in lists { self.lists[kind.rawValue] = responses }
  }

  /// Replaces the specified values.
  mutating func apply(_ change: SiteBehavior) {
    key = change.key ?? key
    lists.merge(change.lists) { $1 }
  }

  /// Returns the behavior from positions in its lists on.
  func from(_ positions: [String: Int]) -> SiteBehavior {
    var rest = self
    for (name, responses) in lists {
      rest.lists[name] = Array(responses.dropFirst(min(max(0, positions[name] ?? 0), max(0, responses.count - 1))))
    }
    return rest
  }
}

extension RequestTarget {
  /// The name of the list with the responses to the request.
  var list: String { kind == .load ? path : kind.rawValue }
}
