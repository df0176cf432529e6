import PCMCore
import PCMCrypto
import PCMNetwork
import PCMStore

/// A request for a signed token: the signer, the nonce, and the purpose.
struct TokenRequestPlan: Sendable {
  let recipient: Recipient
  let nonce: String
  let key: ClickKey
  /// The click that waits for the token; nil for a triggering event.
  let click: Int64?

  var site: Site { recipient == .source ? key.source : key.destination }

  /// - Parameter request: The number of the event that started the exchange.
  func record(_ request: Int64) -> TokenExchangeRecord {
    TokenExchangeRecord(request: request, recipient: recipient, source: key.source, destination: key.destination, click: click)
  }
}

extension KeptClick {
  /// The order of the source's token; nil for a click without a nonce.
  var tokenOrder: TokenRequestPlan? {
    click.nonce.map { TokenRequestPlan(recipient: .source, nonce: $0, key: click.key, click: id) }
  }
}

extension ClickRecord {
  /// The order of the token for which the click waits. An ephemeral click gets its token when a triggering event stores it.
  var tokenOrder: TokenRequestPlan? { kind == .stored ? click?.tokenOrder : nil }
}

extension TriggerAdmission {
  /// The order of the token for which the released click waits.
  var tokenOrder: TokenRequestPlan? { released?.tokenOrder }
}

/// The result of an exchange, and the number of the event that started it.
struct TokenResult: Sendable {
  let order: TokenRequestPlan
  let request: Int64
  let result: Result<SecretToken, Violation>

  /// Logs the end of the exchange.
  func log(_ result: Result<SecretToken, Violation>, in writer: any BrowserWriter, at now: Instant) throws {
    switch result {
    case .success(let token):
      try writer.append(TokenStored(exchange: order.record(request), keyID: token.keyID), at: now)
    case .failure(let failure):
      try writer.append(
        TokenFailed(exchange: order.record(request), reasons: [failure.reason], change: failure.change), at: now)
    }
  }
}

extension Browser {
  /// Requests a signed token from the source's site for a stored click (reference, section 8.2). The exchange takes no time
  /// on the browser's clock. A failed exchange does not change the click, and a click that was removed in the meantime stays
  /// removed.
  ///
  func fetchSourceToken(_ order: TokenRequestPlan, in place: ClickPlace) async throws {
    let signed = try await exchange(order)
    try await submit { writer, state in
      guard case .success(let token) = signed.result else { return try signed.log(signed.result, in: writer, at: state.now) }
      guard var waiting = try writer.click(order.key, in: place), waiting.id == order.click else {
        return try signed.log(.failure(.tokenLate), in: writer, at: state.now)
      }
      waiting.click.token = token
      try writer.save(waiting, in: place)
      try signed.log(signed.result, in: writer, at: state.now)
    }.answer()
  }

  /// Requests a site's key, blinds a new token, and requests its signature.
  ///
  /// - Throws: Errors of the store. Errors of the exchange are part of the result.
  func exchange(_ order: TokenRequestPlan) async throws -> TokenResult {
    // A separate task: the exchange of a click or an event that has begun does not end with its caller.
    try await Task { try await requestToken(order) }.value
  }

  private func requestToken(_ order: TokenRequestPlan) async throws -> TokenResult {
    let (bytes, request, context) = try await submit { writer, state in
      let bytes = state.streams.bytes(.token, count: UnlinkableToken.byteCount)
      let number = try writer.nextSequence()
      let url = TokenExchange.keyURL(at: order.site)
      try writer.append(TokenRequested.key(order.record(number), url: url), at: state.now)
      return (bytes, number, state.context)
    }.answer()
    do {
      let key = try await fetchKey(at: order.site, for: .tokens, context)
      return TokenResult(order: order, request: request, result: .success(try await sign(bytes, key, order, request)))
    } catch let failure as Violation {
      return TokenResult(order: order, request: request, result: .failure(failure))
    }
  }

  func fetchKey(at site: Site, for kind: RequestKind, _ context: RequestContext) async throws(Violation) -> TokenPublicKey {
    try TokenAnswer.key(await send(BrowserRequest.tokenKey(at: site), for: kind, context), of: site)
  }

  private func sign(
    _ bytes: [UInt8], _ key: TokenPublicKey, _ order: TokenRequestPlan, _ request: Int64
  ) async throws -> SecretToken {
    let blinded: BlindedToken
    do throws(TokenError) {
      blinded = try await environment.tokenBlinder.blind(bytes, with: key)
    } catch {
      throw Violation.keyInvalid(order.site, why: TokenAnswer.clause(error.detail))
    }
    let requested = TokenRequested.signature(
      order.record(request), url: TokenExchange.signingURL(at: order.site), keyID: key.id.text)
    let context = try await submit { writer, state in
      try writer.append(requested, at: state.now)
      return state.context
    }.answer()
    let body = TokenExchange.signingBody(
      for: order.recipient, nonce: order.nonce, blinded: Base64URL.encode(blinded.blindedMessage))
    let answer = await send(BrowserRequest.signing(at: order.site, body: body), for: .tokens, context)
    return try await environment.tokenBlinder.token(answer, of: order.site, blinded: blinded)
  }
}
