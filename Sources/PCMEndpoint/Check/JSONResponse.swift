import Foundation
import PCMCore
import PCMCrypto
import PCMNetwork

/// Decodes responses that are JSON objects.
enum JSONResponse {
  /// The reason a member is not available, as the end of a sentence whose subject is the response.
  struct MemberError: Error, Hashable {
    let why: String
  }

  /// Returns a string member of the response object.
  static func text(_ name: String, of exchange: ProbeExchange) -> Result<String, MemberError> {
    if exchange.bodyTruncated { return .failure(MemberError(why: "is too long")) }
    guard case .object(let members)? = object(of: exchange) else { return .failure(MemberError(why: "is not a JSON object")) }
    guard case .string(let text)? = members.first(where: { $0.name == name })?.value, !text.isEmpty else {
      return .failure(MemberError(why: "has no string \(name)"))
    }
    return .success(text)
  }

  static func object(of exchange: ProbeExchange) -> JSON? {
    JSON(parsing: exchange.body, keepingNumbers: true)
  }

  /// Foundation's decoder also accepts trailing commas, duplicate members, and other encodings.
  static func decode<Value: Decodable>(_ type: Value.Type, of exchange: ProbeExchange) -> Value? {
    guard object(of: exchange) != nil else { return nil }
    return try? JSONDecoder().decode(type, from: Data(exchange.body))
  }

  /// Returns whether the media type is a JSON type.
  static func isTyped(_ exchange: ProbeExchange) -> Bool {
    let type = exchange.mediaType
    return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
  }
}

/// A page of the list of received reports from `pcm-browser receive`.
struct ReceiverListing: Decodable {
  let items: [Item]
  let next: String?

  struct Item: Decodable {
    let host: String
    let body: String
    let verdict: String
  }
}

extension CheckContext {
  /// Returns the receiver's verdicts for the reports at this site that contain a token, in order; nil if they are not
  /// available.
  func receiverVerdicts(of token: UnlinkableToken) -> [String]? {
    let text = Base64URL.encode(token.bytes)
    var verdicts: [String] = []
    let pages = observations[.listing]
    guard !pages.isEmpty else { return nil }
    for page in pages {
      guard page.exchange.isAccepted, let listing = JSONResponse.decode(ReceiverListing.self, of: page.exchange) else {
        return nil
      }
      verdicts += listing.items.filter { $0.host == site.domain && $0.body.contains(text) }.map(\.verdict)
    }
    return verdicts
  }
}
