import PCMCore

/// A device's request for the signed values of a web ad (SKAdNetwork reference, section 2.3).
package struct SignedPayloadRequest: Hashable, Sendable {
  package let sourceDomain: String
  /// The nonce as a UUID in lower case, which is signed.
  package let nonce: String

  /// Parses a request. Unknown members are ignored, because later versions may add some.
  package init(body: [UInt8]) throws(RequestError) {
    let object = try ReceivedObject(body: body)
    try object.require("source_engagement_type", "click_to_App_Store")
    try object.require("version", "4.0")
    sourceDomain = try object.text("source_domain")
    let text = try object.text("source_nonce")
    guard Nonce.isValid(text), let nonce = Base64URL.decode(text).flatMap(UUIDText.text) else {
      throw RequestError(.nonceInvalid, "source_nonce must be 16 bytes in base64url.")
    }
    self.nonce = nonce
  }
}
