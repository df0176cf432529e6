import PCMCore
import PCMDelivery
import PCMTokens

/// What was had of tokens so far.
extension CheckContext {
  /// The key that the endpoint served first; nil when it served none, or none that can be used.
  var key: TokenPublicKey? {
    guard let exchange = observations.first(.key), exchange.isAccepted,
      let wire = try? JSONAnswer.text("token_public_key", of: exchange).get()
    else { return nil }
    return try? TokenPublicKey(wire: wire)
  }

  /// The nonces that may be used, each for one purpose.
  var nonces: [String] {
    switch options.nonces {
    case .none: return []
    case .given(let nonces): return nonces
    case .receiver:
      guard let exchange = observations.first(.mint), exchange.isAccepted else { return [] }
      return JSONAnswer.decode([String: [String]].self, of: exchange)?["nonces"] ?? []
    }
  }

  /// Why no nonce is there to be used, as a reason for leaving a rule aside.
  func lack(ofNonce number: Int) -> String? {
    guard nonces.count <= number else { return nil }
    switch options.nonces {
    case .none: return "no nonce that the endpoint signs for was given"
    case .given(let nonces): return "\(nonces.count) nonces were given, and this takes one more"
    case .receiver(let admin): return "too few nonces came from \(admin.url)"
    }
  }

  /// The blind signature as the endpoint wrote it.
  var blindSignature: Result<[UInt8], JSONAnswer.Fault> {
    guard let exchange = observations.first(.sign) else { return .failure(.init(why: "was not asked for")) }
    return JSONAnswer.text("unlinkable_token", of: exchange).flatMap { text in
      Base64URL.decode(text).map { .success($0) } ?? .failure(.init(why: "has an unlinkable_token that is not base64url"))
    }
  }

  /// The token with its signature, or why there is none.
  var signedToken: Result<SignedToken, TokenRefusal> {
    guard let blinded = observations.blinded, let bytes = try? blindSignature.get() else {
      return .failure(.signatureDoesNotVerify)
    }
    do throws(TokenRefusal) {
      return .success(try blinded.finalise(blindSignature: bytes))
    } catch {
      return .failure(error)
    }
  }
}

extension String {
  /// A sentence as a part of another one.
  var asClause: String { hasSuffix(".") ? String(dropLast()) : self }
}
