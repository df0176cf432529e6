package import PCMCore
import PCMDelivery

/// One request that left a browser while a scenario was played.
package struct SentRequest: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case report
    case tokenKey = "token-key"
    case sign
    case load
  }

  /// What a report's pair of token and signature is worth, by the key that its side's site served last.
  package enum TokenVerdict: String, Hashable, Sendable, CaseIterable {
    case verified
    /// No token, or no signature of that key.
    case rejected
    /// The site has served no key.
    case unverified
  }

  package let kind: Kind
  /// Lower-case, without port.
  package let host: String
  /// On the browser's clock.
  package let at: Instant
  /// Nil for a request without a body; a text when it is no JSON.
  package let body: JSON?
  /// The pairs that a report shows, by their side, the source's first.
  package let tokens: [Token]

  package struct Token: Hashable, Sendable {
    /// `source` or `destination`.
    package let side: String
    package let verdict: TokenVerdict
  }

  /// As expectations see it.
  ///
  /// - Parameter start: from where times are counted.
  func json(since start: Instant) -> JSON {
    [
      "to": .string(host),
      "kind": .string(kind.rawValue),
      "body": body.map(DrawnMembers.hidden) ?? .null,
      "tokens": .object(tokens.map { .init($0.side, .string($0.verdict.rawValue)) }),
      "within": .string((at - start).text),
    ]
  }
}

/// Where a request goes and what it is, read from its URL and form alone, so that it is the same on a real network.
struct RequestTarget: Hashable, Sendable {
  let kind: SentRequest.Kind
  let host: String
  /// With the query, without the fragment.
  let path: String

  init(_ request: OutgoingRequest) {
    let text = request.url.prefix { $0 != "#" }
    let behindScheme = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text
    let authority = behindScheme.prefix { $0 != "/" && $0 != "?" }
    let path = behindScheme.dropFirst(authority.count)
    host = Self.host(of: authority)
    self.path = path.hasPrefix("/") ? String(path) : "/" + path
    if request.kind != .measurement {
      kind = .load
    } else if BrowserRequest.isSigning(request) {
      kind = .sign
    } else {
      kind = request.method == .get ? .tokenKey : .report
    }
  }

  /// The port is no part of a site.
  private static func host(of authority: Substring) -> String {
    guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else { return authority.lowercased() }
    return authority[..<colon].lowercased()
  }
}

/// The members that differ from run to run because the crypto library draws for them, or that only show what was drawn.
/// Expectations see `drawn` in their place, so that the rest of a body can be compared.
enum DrawnMembers {
  static let placeholder: JSON = "drawn"

  private static let names: Set<String> = Set(
    ["source", "destination"].flatMap { side in
      ["\(side)_secret_token", "\(side)_secret_token_signature", "\(side)_unlinkable_token"]
    })

  static func hidden(_ body: JSON) -> JSON {
    guard case .object(let members) = body else { return body }
    return .object(members.map { names.contains($0.name) ? .init($0.name, placeholder) : $0 })
  }
}
