package import PCMCore
package import PCMDelivery

/// What is to be examined, and how.
package struct CheckOptions: Sendable {
  /// Any URL of the endpoint: reports go to the well-known path at its registrable domain.
  package var endpoint: WebURL
  package var role: Examination.Role
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
    endpoint: WebURL, role: Examination.Role = .source, route: NetworkRoute = NetworkRoute(), nonces: NonceSource = .none,
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
