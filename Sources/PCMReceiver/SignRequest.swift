import PCMCore
import PCMTokens

/// A request for a signature whose form is right (reference, section 8.5, item 3). Whether its nonce is known is for the
/// ``NonceBook`` to say, whether its blinded token can be signed for the key.
package struct SignRequest: Hashable, Sendable {
  package let side: TokenSide
  /// 16 bytes.
  package let nonce: [UInt8]
  package let blindedToken: [UInt8]

  /// Exactly four members: the two of one side, and the two that every request has. WebKit sends an empty object when
  /// its own nonce is wrong; it is refused like every other wrong set of members.
  package init(body: [UInt8]) throws(Refusal) {
    let object = try ReceivedObject(body: body)
    guard let side = TokenSide.allCases.first(where: { Self.members(of: $0) == object.names }) else {
      throw Refusal(
        .wrongMembers,
        "The members are \(object.names.sorted()); they have to be source_engagement_type, version, and one pair of "
          + "source_nonce and source_unlinkable_token or destination_nonce and destination_unlinkable_token.")
    }
    try object.requireClick()
    _ = try object.number("version", in: 3...3)
    let nonce = try object.text("\(side.rawValue)_nonce")
    guard Nonce.isValid(nonce), let bytes = Base64URL.decode(nonce) else {
      throw Refusal(.nonceInvalid, "The nonce has to be 16 bytes in base64url.")
    }
    guard let blinded = Base64URL.decode(try object.text("\(side.rawValue)_unlinkable_token")) else {
      throw Refusal(.blindedTokenInvalid, "The blinded token is not base64url.")
    }
    self.side = side
    self.nonce = bytes
    blindedToken = blinded
  }

  private static func members(of side: TokenSide) -> Set<String> {
    ["source_engagement_type", "version", "\(side.rawValue)_nonce", "\(side.rawValue)_unlinkable_token"]
  }
}

extension Refusal {
  /// Why a blinded token could not be signed.
  init(signing refusal: TokenRefusal) {
    let code: Code =
      switch refusal {
      case .wrongBlindedMessageSize: .blindedTokenWrongSize
      case .blindedMessageNotBelowModulus: .blindedTokenNotBelowModulus
      default: .keyUnusable
      }
    self.init(code, refusal.detail)
  }
}

/// The nonces that were minted for page views. Each is good for one signature: no cookie comes with the request, so the
/// nonce alone says that this user was there.
package struct NonceBook: Sendable {
  /// How many nonces are kept; it is the newest that count.
  package static let capacity = 100_000

  private var isUsed: [[UInt8]: Bool] = [:]
  private var order: [[UInt8]] = []

  package init() {}

  /// - Parameter text: 16 bytes in base64url, as it stands in the page.
  /// - Returns: false when the nonce is known already; its use is not forgotten.
  package mutating func register(_ text: String) throws(Refusal) -> Bool {
    guard Nonce.isValid(text), let bytes = Base64URL.decode(text) else {
      throw Refusal(.nonceInvalid, "\"\(text)\" is no nonce: it has to be 16 bytes in base64url.")
    }
    guard isUsed[bytes] == nil else { return false }
    if order.count == Self.capacity {
      for old in order.prefix(Self.capacity / 10) { isUsed[old] = nil }
      order.removeFirst(Self.capacity / 10)
    }
    isUsed[bytes] = false
    order.append(bytes)
    return true
  }

  package func check(_ nonce: [UInt8]) throws(Refusal) {
    guard let used = isUsed[nonce] else { throw Refusal(.nonceUnknown, "Nobody minted this nonce.") }
    guard !used else { throw Refusal(.nonceUsed, "The nonce has had its signature; it is good for one.") }
  }

  package mutating func use(_ nonce: [UInt8]) { isUsed[nonce] = true }
}
