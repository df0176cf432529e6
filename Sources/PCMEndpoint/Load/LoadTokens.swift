import PCMCore
package import PCMCrypto
import PCMNetwork

/// Requests tokens from the endpoint for the reports of a load test, as a browser does after a click.
///
/// The crypto library draws the blinding, so tokens differ even with the same seed.
package struct LoadTokens: Sendable {
  /// The tokens, and why there are not as many as planned; nil if there are.
  package typealias Result = (tokens: [SignedToken], lack: String?)

  private let options: LoadOptions
  private let network: any LoadNetwork
  private let random: @Sendable (Int) -> [UInt8]

  /// - Parameter random: Returns as many random bytes, for tokens and for nonces that no receiver minted.
  package init(_ options: LoadOptions, network: any LoadNetwork, random: @escaping @Sendable (Int) -> [UInt8]) {
    (self.options, self.network, self.random) = (options, network, random)
  }

  /// Requests a token for each report, up to the pool's size, at the rate of the test.
  ///
  /// - Parameter admin: The receiver that mints the nonces; nil for random nonces.
  package func collect(from admin: CheckOptions.ReceiverAdmin?, progress: @Sendable (Int) -> Void) async -> Result {
    let site = options.endpoint.site
    let answer = await network.send(BrowserRequest.tokenKey(at: site)).exchange
    let key: TokenPublicKey
    do {
      if let failure = answer.failure { return ([], "the endpoint serves no key: \(failure.detail)") }
      key = try TokenPublicKey(wire: try answer.tokenMember("token_public_key"))
    } catch let error as TokenMemberError {
      return ([], "the endpoint serves no key: \(error.detail)")
    } catch {
      return ([], "the endpoint's key is invalid: \(error)")
    }
    let nonces: [String]
    do throws(CheckError) { nonces = try await mint(admin) } catch { return ([], error.detail) }
    var tokens: [SignedToken] = []
    let start = network.now()
    for (number, nonce) in nonces.enumerated() {
      await network.wait(until: start + options.instant(of: number))
      guard !Task.isCancelled else { return (tokens, "the test was ended") }
      switch await signed(nonce, by: key, at: site) {
      case .success(let token): tokens.append(token)
      case .failure(let refusal):
        return (tokens, refusal.detail + (admin == nil ? "; if it signs only for its own nonces, use --token-admin" : ""))
      }
      progress(tokens.count)
    }
    return (tokens, nil)
  }

  private func mint(_ admin: CheckOptions.ReceiverAdmin?) async throws(CheckError) -> [String] {
    let count = min(options.tokenPool, options.count)
    guard let admin else { return (0..<count).map { _ in Base64URL.encode(random(16)) } }
    var nonces: [String] = []
    while nonces.count < count {
      let exchange = await network.send(admin.mintRequest(min(count - nonces.count, Self.mintCount))).exchange
      guard exchange.failure == nil,
        let minted = JSONResponse.decode([String: [String]].self, of: ProbeExchange(exchange))?["nonces"],
        !minted.isEmpty
      else {
        throw .noNonces(url: admin.url, account: exchange.failure?.detail ?? "had the status \(exchange.httpStatus ?? 0)")
      }
      nonces += minted
    }
    return nonces
  }

  /// The number of nonces in a request to the admin interface.
  private static let mintCount = 1_000

  private struct Refusal: Error {
    let detail: String
  }

  private func signed(_ nonce: String, by key: TokenPublicKey, at site: Site) async -> Swift.Result<SignedToken, Refusal> {
    do {
      let blinded = try UnlinkableToken(bytes: random(UnlinkableToken.byteCount)).blind(with: key)
      let body = TokenExchange.signingBody(
        for: options.role, nonce: nonce, blinded: Base64URL.encode(blinded.blindedMessage))
      let exchange = await network.send(BrowserRequest.signing(at: site, body: body)).exchange
      if let failure = exchange.failure { return .failure(Refusal(detail: "the endpoint signed no token: \(failure.detail)")) }
      let signature = Base64URL.decode(try exchange.tokenMember("unlinkable_token")) ?? []
      return .success(try blinded.finalize(blindSignature: signature))
    } catch let error as TokenMemberError {
      return .failure(Refusal(detail: "the endpoint signed no token: \(error.detail)"))
    } catch {
      return .failure(Refusal(detail: "the endpoint's signature is invalid"))
    }
  }
}
