import Foundation
import PCMCore
import PCMCrypto
import PCMEndpoint

/// An endpoint of two sites, and the requests of browsers.
enum ReceiverFixture {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures")
  static let nonce = "ABCDEFabcdef0123456789"

  static func key(bits: Int) throws -> TokenPrivateKey {
    try TokenPrivateKey(
      pem: String(contentsOf: folder.appendingPathComponent("tokens/signing-key-\(bits).pem"), encoding: .utf8))
  }

  static func endpoint(_ ring: KeyRing? = nil, appAds: AppAds? = nil) throws -> ReportEndpoint {
    let ring = try ring ?? KeyRing(common: KeySeries(current: key(bits: 2_048)), names: ["news.example", "shop.example"])
    return ReportEndpoint(
      keys: ring, appAds: try appAds ?? AppAds(), now: { Instant(milliseconds: 1_676_057_605_705) }, record: { _ in })
  }

  static func request(
    _ kind: ReceivedRequest.Kind, _ body: String, host: String = "news.example", path: String = "/"
  ) -> ReceivedRequest {
    ReceivedRequest(kind: kind, host: host, method: "POST", path: path, headers: [], body: Array(body.utf8))
  }

  /// A browser's token, signed by a key.
  static func signed(by key: TokenPrivateKey, filledWith byte: UInt8 = 7) throws -> SignedToken {
    let blinded = try UnlinkableToken(bytes: [UInt8](repeating: byte, count: 32)).blind(with: key.publicKey)
    return try blinded.finalize(blindSignature: try key.sign(blindedMessage: blinded.blindedMessage))
  }

  static func report(_ tokens: [(Recipient, SignedToken)] = [], extra: String = "") -> String {
    let members = tokens.map { recipient, token in
      #","\#(recipient.rawValue)_secret_token":"\#(Base64URL.encode(token.token.bytes))","#
        + #""\#(recipient.rawValue)_secret_token_signature":"\#(Base64URL.encode(token.signature))""#
    }.joined()
    return #"{"source_engagement_type":"click","source_site":"news.example","source_id":4,"#
      + #""attributed_on_site":"shop.example","trigger_data":12,"version":3\#(members)\#(extra)}"#
  }

  static func signRequest(_ blinded: [UInt8], nonce: String = nonce, recipient: Recipient = .source) -> String {
    #"{"source_engagement_type":"click","\#(recipient.rawValue)_nonce":"\#(nonce)","#
      + #""\#(recipient.rawValue)_unlinkable_token":"\#(Base64URL.encode(blinded))","version":3}"#
  }
}
