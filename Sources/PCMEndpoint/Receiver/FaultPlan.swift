package import PCMCore
import PCMCrypto

/// A fault that the receiver injects on command, for tests of senders.
package struct InjectedFault: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Returns a different status. The request is not processed.
    case status
    /// Returns a redirect, which browsers do not follow here. The request is not processed.
    case redirect
    /// Processes the request and delays the response. A client with a shorter timeout never receives it.
    case delay
    /// Resets the connection before the body is read.
    case resetBeforeBody = "reset-before-body"
    /// Reads and processes the request, then resets the connection.
    case resetAfterBody = "reset-after-body"
    /// Sends the response byte by byte.
    case trickle
    /// Sends the whole response, then resets the HTTP/2 stream instead of ending it. With HTTP/1.1, resets the connection.
    case streamReset = "stream-reset"
    /// Serves a public key that does not match the signing key.
    case wrongKey = "wrong-key"
    /// Flips one bit of a blind signature, or of the signature for a web ad.
    case forgedSignature = "forged-signature"
    /// Removes the last byte of a blind signature, or of the signature for a web ad.
    case shortSignature = "short-signature"
    /// Sends the first half of the body as if it were complete.
    case truncated
    /// Labels the body as HTML.
    case wrongContentType = "wrong-content-type"
    /// Signs another nonce for a web ad.
    case wrongNonce = "wrong-nonce"
    /// Signs another source domain for a web ad.
    case wrongSourceDomain = "wrong-source-domain"
    /// Changes the version for a web ad to 3.0.
    case wrongVersion = "wrong-version"
  }

  package let kind: Kind
  /// The status of `status` and `redirect`.
  package let status: Int
  /// The delay of `delay`, or the pause between bytes of `trickle`.
  package let pause: Interval
  /// The target of `redirect`.
  package let location: String

  package init(_ kind: Kind, status: Int? = nil, pause: Interval = .seconds(1), location: String = "https://elsewhere.example/")
  {
    self.kind = kind
    self.status = status ?? (kind == .redirect ? 302 : 503)
    self.pause = pause
    self.location = location
  }

  /// Whether the request is processed.
  package var isProcessed: Bool {
    switch kind {
    case .status, .redirect, .resetBeforeBody: false
    default: true
    }
  }
}

/// The occurrence of a fault: always, a number of times, or with a probability.
package struct FaultRule: Hashable, Sendable {
  package let fault: InjectedFault
  /// The kind of request; nil for each kind to which the fault applies.
  package let request: ReceivedRequest.Kind?
  /// The host; nil for all.
  package let host: String?
  /// The remaining number of occurrences; nil without a limit.
  package fileprivate(set) var times: Int?
  /// The probability, from 0 to 1.
  package let probability: Double

  package init(
    _ fault: InjectedFault, on request: ReceivedRequest.Kind? = nil, host: String? = nil, times: Int? = nil,
    probability: Double = 1
  ) {
    self.fault = fault
    self.request = request
    self.host = host
    self.times = times
    self.probability = probability
  }

  fileprivate func matches(_ kind: ReceivedRequest.Kind, _ host: String) -> Bool {
    guard request == nil || request == kind, self.host == nil || self.host == host, times != 0 else { return false }
    switch fault.kind {
    case .wrongKey: return kind == .key
    case .forgedSignature, .shortSignature: return kind == .sign || kind == .signedPayload
    case .wrongNonce, .wrongSourceDomain, .wrongVersion: return kind == .signedPayload
    default: return true
    }
  }
}

/// The planned faults. For each request, the first matching rule that is selected by its probability applies. The same seed
/// and the same requests in the same order produce the same faults.
package struct FaultPlan: Hashable, Sendable {
  package private(set) var rules: [FaultRule]
  private var chance: SplitMix64

  package init(_ rules: [FaultRule] = [], seed: UInt64 = 0) {
    self.rules = rules
    chance = SplitMix64(seed: seed)
  }

  package mutating func next(for kind: ReceivedRequest.Kind, at host: String) -> InjectedFault? {
    for index in rules.indices where rules[index].matches(kind, host) {
      let rule = rules[index]
      if rule.probability < 1, chance.unit() >= rule.probability { continue }
      rules[index].times = rule.times.map { $0 - 1 }
      return rule.fault
    }
    return nil
  }
}

/// The modified bytes of faults.
enum Forgery {
  /// Returns a key of the same size that browsers can blind with but whose private key is unknown: the modulus with one bit
  /// flipped.
  ///
  /// Most such numbers have a small factor. A browser whose blinding factor has the same factor rejects the key as
  /// unusable, which is a different, random error. For a modulus without factors below 10,000, the probability is one in
  /// 100,000.
  static func key(like key: TokenPrivateKey) -> String {
    guard let spki = Base64URL.decode(key.publicKeyWire), let place = spki.firstRange(of: key.publicKey.modulus) else {
      return key.publicKeyWire
    }
    // Preserves the first byte, and thereby the size, and the last byte, so that the number is odd. Flips any bit, instead of
    // the same bit in each byte, because all powers of 256 are congruent modulo 3, 5, and 17, so that each candidate could
    // have one of these factors.
    let candidates = (8..<place.count * 8 - 8).reversed().lazy.map { bit in
      var modulus = key.publicKey.modulus
      modulus[bit / 8] ^= 1 << (bit % 8)
      return modulus
    }
    guard let modulus = candidates.first(where: { !hasSmallFactor($0) }) else { return key.publicKeyWire }
    return Base64URL.encode(Array(spki[..<place.lowerBound] + modulus + spki[place.upperBound...]))
  }

  /// - Parameter number: The number in big-endian order.
  static func hasSmallFactor(_ number: [UInt8]) -> Bool {
    // Uses words of 32 bits from the front, with padding before the first word.
    let padding = [UInt8](repeating: 0, count: (4 - number.count % 4) % 4)
    let bytes = padding + number
    let words = stride(from: 0, to: bytes.count, by: 4).map { start in
      bytes[start..<start + 4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    return stride(from: UInt64(3), to: 10_000, by: 2).contains { divisor in
      words.reduce(UInt64(0)) { ($0 << 32 | $1) % divisor } == 0
    }
  }

  /// Returns a signature with a fault applied.
  static func signature(_ signature: [UInt8], _ fault: InjectedFault.Kind?) -> [UInt8] {
    switch (fault, signature.last) {
    case (.forgedSignature, let last?): Array(signature.dropLast()) + [last ^ 1]
    case (.shortSignature, _): Array(signature.dropLast())
    default: signature
    }
  }

  /// Returns another UUID.
  static func nonce(_ nonce: String) -> String { nonce.dropLast() + (nonce.hasSuffix("0") ? "1" : "0") }
}
