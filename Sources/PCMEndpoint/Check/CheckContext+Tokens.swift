import PCMCore
import PCMCrypto
import PCMNetwork

/// The results of the token probes.
extension CheckContext {
  /// The first key of the endpoint; nil if there is none or it is invalid.
  var key: TokenPublicKey? {
    guard let exchange = observations.first(.key), exchange.isAccepted,
      let wire = try? JSONResponse.text("token_public_key", of: exchange).get()
    else { return nil }
    return try? TokenPublicKey(wire: wire)
  }

  /// The available nonces. Each has a single purpose.
  var nonces: [String] {
    switch options.nonces {
    case .none: return []
    case .given(let nonces): return nonces
    case .receiver:
      guard let exchange = observations.first(.mint), exchange.isAccepted else { return [] }
      return JSONResponse.decode([String: [String]].self, of: exchange)?["nonces"] ?? []
    }
  }

  /// Returns the reason a nonce is not available, for a skipped rule; nil if it is available.
  func lack(ofNonce number: Int) -> String? {
    guard nonces.count <= number else { return nil }
    switch options.nonces {
    case .none: return "no nonces were given"
    case .given(let nonces): return "\(nonces.count) nonces were given, but this rule requires one more"
    case .receiver(let admin): return "\(admin.url) returned too few nonces"
    }
  }

  /// The blind signature in the endpoint's response.
  var blindSignature: Result<[UInt8], JSONResponse.MemberError> {
    guard let exchange = observations.first(.sign) else { return .failure(.init(why: "was not requested")) }
    return JSONResponse.text("unlinkable_token", of: exchange).flatMap { text in
      Base64URL.decode(text).map { .success($0) } ?? .failure(.init(why: "has an unlinkable_token that is not base64url"))
    }
  }

  /// The token with its signature, or the error of unblinding it.
  var signedToken: Result<SignedToken, TokenError> {
    guard let blinded = observations.blinded, let bytes = try? blindSignature.get() else {
      return .failure(.signatureDoesNotVerify)
    }
    do throws(TokenError) {
      return .success(try blinded.finalize(blindSignature: bytes))
    } catch {
      return .failure(error)
    }
  }
}

extension String {
  /// The sentence without its period, for use in another sentence.
  var asClause: String { hasSuffix(".") ? String(dropLast()) : self }
}
