package import PCMCore
import PCMCrypto

/// The signed members of a postback that a receiver uses. ``PostbackVerifier`` checks their validity.
package struct PostbackMembers {
  package let framework: AdFramework
  /// The identifier of the key in a JSON Web Signature.
  let keyIdentifier: String?
  /// The postback, or the payload of its JSON Web Signature; null for an unreadable signature.
  package let signed: JSON

  /// - Parameter object: The postback, or a JSON Web Signature by itself. Both with `jws-string` and without an object, it belongs to
  ///   AdAttributionKit.
  package init(_ object: JSON) {
    guard let text = object["jws-string"] ?? object.string.map({ .string($0) }) else {
      (framework, keyIdentifier, signed) = (.skadnetwork, nil, object)
      return
    }
    let jws = text.string.flatMap { try? CompactJWS($0) }
    (framework, keyIdentifier, signed) = (.adattributionkit, jws?.keyIdentifier, jws?.payload ?? .null)
  }

  /// Whether the app that displayed the ad is signed for development.
  var isOfDevelopmentApp: Bool {
    signed[framework == .skadnetwork ? "source-app-id" : "publisher-item-identifier"] == 0
  }

  /// The identity; nil without an identifier.
  package var identity: PostbackIdentity? {
    guard let identifier = signed[framework == .skadnetwork ? "transaction-id" : "postback-identifier"]?.string else {
      return nil
    }
    // Versions before 4.0 send one postback, without an index.
    guard case .number(let index)? = signed["postback-sequence-index"] else {
      return PostbackIdentity(framework: framework, identifier: identifier, sequenceIndex: 0)
    }
    return PostbackIdentity(framework: framework, identifier: identifier, sequenceIndex: index)
  }
}

/// The common values of all copies of a postback (SKAdNetwork reference, section 8; AdAttributionKit reference, section 6).
/// They include the index, because no document specifies whether the postbacks of a conversion share an identifier.
package struct PostbackIdentity: Hashable, Sendable {
  package let framework: AdFramework
  /// `transaction-id` or `postback-identifier`.
  package let identifier: String
  package let sequenceIndex: Int64
}
