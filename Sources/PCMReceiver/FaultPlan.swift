package import PCMCore
import PCMTokens

/// Something that goes wrong on command, for the tests of senders.
package struct Fault: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Another status; the request is not processed.
    case status
    /// A redirect, which no browser follows here; the request is not processed.
    case redirect
    /// The request is processed, the answer comes late: for a client whose timeout is shorter, never.
    case delay
    /// The connection is reset before the body is read.
    case resetBeforeBody = "reset-before-body"
    /// The request is read and processed, then the connection is reset.
    case resetAfterBody = "reset-after-body"
    /// The answer comes byte by byte.
    case trickle
    /// The whole answer, then a reset of the HTTP/2 stream instead of its end; with HTTP/1.1, of the connection.
    case streamReset = "stream-reset"
    /// Another public key than the one that signs.
    case wrongKey = "wrong-key"
    /// A blind signature with one bit flipped.
    case forgedSignature = "forged-signature"
    /// A blind signature without its last byte.
    case shortSignature = "short-signature"
  }

  package let kind: Kind
  /// Of `status` and `redirect`.
  package let status: Int
  /// Of `delay`; of `trickle` between bytes.
  package let pause: Interval
  /// Of `redirect`.
  package let location: String

  package init(_ kind: Kind, status: Int? = nil, pause: Interval = .seconds(1), location: String = "https://elsewhere.example/")
  {
    self.kind = kind
    self.status = status ?? (kind == .redirect ? 302 : 503)
    self.pause = pause
    self.location = location
  }

  /// Whether the request does what it is there for.
  package var isProcessed: Bool {
    switch kind {
    case .status, .redirect, .resetBeforeBody: false
    default: true
    }
  }
}

/// When a fault happens: always, a number of times, or by chance.
package struct FaultRule: Hashable, Sendable {
  package let fault: Fault
  /// Nil for every kind of request that the fault is possible with.
  package let request: Arrival.Kind?
  /// Nil for every host.
  package let host: String?
  /// How often the fault is still to happen; nil without end.
  package fileprivate(set) var times: Int?
  /// From 0 to 1.
  package let probability: Double

  package init(_ fault: Fault, on request: Arrival.Kind? = nil, host: String? = nil, times: Int? = nil, probability: Double = 1)
  {
    self.fault = fault
    self.request = request
    self.host = host
    self.times = times
    self.probability = probability
  }

  fileprivate func matches(_ kind: Arrival.Kind, _ host: String) -> Bool {
    guard request == nil || request == kind, self.host == nil || self.host == host, times != 0 else { return false }
    switch fault.kind {
    case .wrongKey: return kind == .key
    case .forgedSignature, .shortSignature: return kind == .sign
    default: return true
    }
  }
}

/// The faults to come: of each request, the first rule that applies and whose chance says so. The same seed and the same
/// requests in the same order give the same faults.
package struct FaultPlan: Hashable, Sendable {
  package private(set) var rules: [FaultRule]
  private var chance: SplitMix64

  package init(_ rules: [FaultRule] = [], seed: UInt64 = 0) {
    self.rules = rules
    chance = SplitMix64(seed: seed)
  }

  package mutating func next(for kind: Arrival.Kind, at host: String) -> Fault? {
    for index in rules.indices where rules[index].matches(kind, host) {
      let rule = rules[index]
      if rule.probability < 1, chance.unit() >= rule.probability { continue }
      rules[index].times = rule.times.map { $0 - 1 }
      return rule.fault
    }
    return nil
  }
}

/// What faults make of the right bytes.
enum Forgery {
  /// A key of the same size that browsers can blind with and that nobody has the private part of: the modulus with one
  /// bit flipped.
  ///
  /// Most numbers have a small factor, and a browser whose blinding factor has it too refuses the key as unusable. That is
  /// another fault, and it would come by chance: a modulus without factors below 10,000 lets it come once in 100,000 times.
  static func key(like key: TokenPrivateKey) -> String {
    guard let spki = Base64URL.decode(key.publicKeyWire), let place = spki.firstRange(of: key.publicKey.modulus) else {
      return key.publicKeyWire
    }
    // The first byte keeps the size, the last one the number odd. Of all bits, not of one in each byte: the powers of 256
    // are all alike to 3, 5 and 17, so that each of those numbers could have one of them as a factor.
    let candidates = (8..<place.count * 8 - 8).reversed().lazy.map { bit in
      var modulus = key.publicKey.modulus
      modulus[bit / 8] ^= 1 << (bit % 8)
      return modulus
    }
    guard let modulus = candidates.first(where: { !hasSmallFactor($0) }) else { return key.publicKeyWire }
    return Base64URL.encode(Array(spki[..<place.lowerBound] + modulus + spki[place.upperBound...]))
  }

  /// - Parameter number: big-endian.
  static func hasSmallFactor(_ number: [UInt8]) -> Bool {
    // In pieces of 32 bits from the front, the first one short if need be.
    let padding = [UInt8](repeating: 0, count: (4 - number.count % 4) % 4)
    let bytes = padding + number
    let words = stride(from: 0, to: bytes.count, by: 4).map { start in
      bytes[start..<start + 4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    return stride(from: UInt64(3), to: 10_000, by: 2).contains { divisor in
      words.reduce(UInt64(0)) { ($0 << 32 | $1) % divisor } == 0
    }
  }

  static func signature(_ signature: [UInt8]) -> [UInt8] {
    guard let last = signature.last else { return signature }
    return Array(signature.dropLast()) + [last ^ 1]
  }
}
