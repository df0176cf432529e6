package import PCMCore
package import PCMSimulatedSites

/// A request that a browser sent while a scenario ran.
package struct SentRequest: Hashable, Sendable {
  /// The verdict on a report's token and signature, according to the key that the site served last.
  package enum TokenVerdict: String, Hashable, Sendable, CaseIterable {
    case verified
    /// The token is missing or malformed, or the signature does not match the key.
    case rejected
    /// The site has not served a key.
    case unverified
  }

  package let kind: RequestTarget.Kind
  /// The host in lowercase, without a port.
  package let host: String
  /// The time on the browser's clock.
  package let at: Instant
  /// Nil for a request without a body; a string when it is not JSON.
  package let body: JSON?
  /// The tokens of a report by recipient, the source's first.
  package let tokens: [Token]

  package struct Token: Hashable, Sendable {
    package let recipient: Recipient
    package let verdict: TokenVerdict
  }

  /// The request as expectations see it.
  ///
  /// - Parameter start: The start of the scenario, which times are relative to.
  func json(since start: Instant) -> JSON {
    [
      "to": .string(host),
      "kind": .string(kind.rawValue),
      "body": body.map(DrawnMembers.hidden) ?? .null,
      "tokens": .object(tokens.map { .init($0.recipient.rawValue, .string($0.verdict.rawValue)) }),
      "within": .string((at - start).text),
    ]
  }
}

/// The members with random values, or values derived from them. Expectations contain `drawn` in their place, so that the
/// rest of a body can be compared.
enum DrawnMembers {
  static let placeholder: JSON = "drawn"

  private static let names: Set<String> = Set(
    Recipient.allCases.map(\.rawValue).flatMap { recipient in
      ["\(recipient)_secret_token", "\(recipient)_secret_token_signature", "\(recipient)_unlinkable_token"]
    } + ["transaction-id", "attribution-signature", "jws-string", "postback-identifier"])

  static func hidden(_ body: JSON) -> JSON {
    guard case .object(let members) = body else { return body }
    return .object(members.map { names.contains($0.name) ? .init($0.name, placeholder) : $0 })
  }
}
