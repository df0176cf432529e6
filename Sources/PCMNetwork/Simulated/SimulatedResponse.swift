import PCMCore
import PCMCrypto

/// A simulated site's response to a request: a good endpoint's response with the specified changes.
struct SimulatedResponse: Hashable, Sendable {
  private var status: Int
  private var contentType: String?
  private var body: [UInt8]
  private var location: String?
  private var failure: TransportFailure?

  private init(status: Int, contentType: String? = nil, body: [UInt8] = [], changes: SiteBehavior.Response) {
    self.status = changes.status ?? status
    // An empty text is a response without a media type.
    self.contentType = changes.contentType.map { $0.isEmpty ? nil : $0 } ?? contentType
    self.body = changes.body.map { Array($0.utf8) } ?? body
    location = changes.location
    failure = changes.failure.map { code in
      TransportFailure(code, changes.failureDetail ?? "the script of the site specifies \(code.rawValue)")
    }
  }

  /// Creates the response to a report or a postback.
  init(_ changes: SiteBehavior.Response) {
    self.init(status: 200, changes: changes)
  }

  /// Creates the response to a request for the token key.
  init(_ changes: SiteBehavior.Response, key: TokenPrivateKey?) {
    let body: JSON = ["token_public_key": .string(key?.publicKeyWire)]
    self.init(status: 200, contentType: "application/json", body: body.bytes, changes: changes)
  }

  /// Creates the response to a request for a signature: 400 when the request cannot be signed.
  init(_ changes: SiteBehavior.Response, signing request: [UInt8], with key: TokenPrivateKey?) {
    guard var signature = Self.sign(request, with: key) else {
      self.init(status: 400, changes: changes)
      return
    }
    // Flips the lowest bit. The forged value stays below the modulus, so that only verification detects it.
    if changes.forged { signature[signature.count - 1] ^= 1 }
    if changes.short { signature.removeLast() }
    let body: JSON = ["unlinkable_token": .string(Base64URL.encode(signature))]
    self.init(status: 200, contentType: "application/json", body: body.bytes, changes: changes)
  }

  /// Creates the response to a request for the signed values of a web ad: 400 when the request names no click.
  init(_ changes: SiteBehavior.Response, signingPayload request: [UInt8]) {
    let ad = JSON(parsing: request).flatMap { TestAdNetwork.webAd(for: $0, changes.ad, signedAs: changes.signedAs) }
    self.init(
      status: ad == nil ? 400 : 200, contentType: ad == nil ? nil : "application/json", body: ad?.bytes ?? [],
      changes: changes)
  }

  /// Creates the response to a page's load.
  init(page changes: SiteBehavior.Response) {
    self.init(status: changes.location == nil ? 200 : 302, changes: changes)
  }

  static var notFound: SimulatedResponse { SimulatedResponse(status: 404, changes: .good) }

  private static func sign(_ request: [UInt8], with key: TokenPrivateKey?) -> [UInt8]? {
    let blinded = JSON(parsing: request)?.members.first { $0.name.hasSuffix("_unlinkable_token") }?.value
    guard case .string(let text)? = blinded, let bytes = Base64URL.decode(text) else { return nil }
    return try? key?.sign(blindedMessage: bytes)
  }

  /// - Parameter limit: The maximum number of bytes of the body to read.
  func exchange(to request: OutgoingRequest, limit: Int) -> Exchange {
    if let failure { return Exchange(failure: failure) }
    var exchange = Exchange(
      httpStatus: status, httpVersion: "2", contentType: contentType, location: location, body: Array(body.prefix(limit)),
      bodyTruncated: body.count > limit)
    // Simulated sites set no cookies, so the result has only the request's cookies.
    if case .pageLoad(let cookies) = request.kind { exchange.cookies = cookies }
    return exchange
  }
}
