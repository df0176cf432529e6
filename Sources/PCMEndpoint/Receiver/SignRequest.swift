import PCMCore
import PCMCrypto

/// A well-formed request for a signature (reference, section 8.5, item 3). The ``NonceBook`` checks its nonce, and the key
/// checks its blinded token.
package struct SignRequest: Hashable, Sendable {
  /// The nonce, 16 bytes.
  package let nonce: [UInt8]
  package let blindedToken: [UInt8]

  /// Requires exactly four members: the two members of a recipient, and the two members of every request. WebKit sends an
  /// empty object if its nonce is invalid. It is rejected like other sets of members.
  package init(body: [UInt8]) throws(RequestError) {
    let object = try ReceivedObject(body: body)
    guard let recipient = Recipient.allCases.first(where: { Self.members(of: $0) == object.names }) else {
      throw RequestError(
        .wrongMembers,
        "The members are \(object.names.sorted()); they must be source_engagement_type, version, and one pair of "
          + "source_nonce and source_unlinkable_token or destination_nonce and destination_unlinkable_token.")
    }
    try object.requireClick()
    _ = try object.number("version", in: 3...3)
    let nonce = try object.text("\(recipient.rawValue)_nonce")
    guard Nonce.isValid(nonce), let bytes = Base64URL.decode(nonce) else {
      throw RequestError(.nonceInvalid, "The nonce must be 16 bytes in base64url.")
    }
    guard let blinded = Base64URL.decode(try object.text("\(recipient.rawValue)_unlinkable_token")) else {
      throw RequestError(.blindedTokenInvalid, "The blinded token is not base64url.")
    }
    self.nonce = bytes
    blindedToken = blinded
  }

  private static func members(of recipient: Recipient) -> Set<String> {
    ["source_engagement_type", "version", "\(recipient.rawValue)_nonce", "\(recipient.rawValue)_unlinkable_token"]
  }
}

extension RequestError {
  /// Creates the error for a blinded token that cannot be signed.
  init(signing error: TokenError) {
    let code: Code =
      switch error {
      case .wrongBlindedMessageSize: .blindedTokenWrongSize
      case .blindedMessageNotBelowModulus: .blindedTokenNotBelowModulus
      default: .keyUnusable
      }
    self.init(code, error.detail)
  }
}

/// The nonces that were minted for page views. Each is valid for a single signature. The request has no cookie, so the nonce
/// is the only evidence of the user.
package struct NonceBook: Sendable {
  /// The maximum number of nonces. The oldest are removed.
  package static let capacity = 100_000

  private var isUsed = NewestValues<[UInt8], Bool>(capacity: capacity)

  package init() {}

  /// - Parameter text: 16 bytes in base64url, as in the page.
  /// - Returns: false if the nonce already exists. Its use is preserved.
  package mutating func register(_ text: String) throws(RequestError) -> Bool {
    guard Nonce.isValid(text), let bytes = Base64URL.decode(text) else {
      throw RequestError(.nonceInvalid, "\"\(text)\" is not a nonce: it must be 16 bytes in base64url.")
    }
    guard isUsed[bytes] == nil else { return false }
    isUsed.set(false, for: bytes)
    return true
  }

  package func check(_ nonce: [UInt8]) throws(RequestError) {
    guard let used = isUsed[nonce] else { throw RequestError(.nonceUnknown, "The nonce was not minted here.") }
    guard !used else { throw RequestError(.nonceUsed, "The nonce was used for a signature already.") }
  }

  package mutating func use(_ nonce: [UInt8]) { isUsed.set(true, for: nonce) }
}
