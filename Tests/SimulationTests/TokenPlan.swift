import PCMCore

/// Clicks and events with nonces, and sites that sign, or not, or change their keys. A simulation beside
/// ``Plan``: it is only about tokens, so that its plans meet them often.
struct TokenPlan: Hashable, Sendable {
  let seed: UInt64
  let policy: DeliveryPolicy
  let operations: [TokenOperation]

  init(seed: UInt64) {
    var numbers = SplitMix64(seed: seed)
    self.seed = seed
    policy = numbers.chance(1, in: 3) ? .reliable : .webkit
    operations = (0..<20 + numbers.below(15)).map { TokenOperation(number: $0, &numbers) }
  }
}

enum TokenOperation: Hashable, Sendable {
  /// A link of one site to another. Its number is the source identifier, so every report identifies its link.
  case click(Int, source: String, destination: String, nonce: String?)
  case event(data: Int, priority: Int, source: String, destination: String, nonce: String?)
  /// A site signs with its other key from here on.
  case rotate(String)
  case weather(String, SigningWeather)
  case network(isFair: Bool)
  case advance(Interval)
  case untilIdle
  case restart
  case crash(CrashPoint)
  case storeFault(StoreFault)
  /// The process dies over a request from here on: it has left, and its answer is not heard.
  case dieAtRequest(after: Int)
}

/// How a site answers the two requests for a token.
enum SigningWeather: String, Hashable, Sendable, CaseIterable {
  case fair
  case silentKey, otherKey, pageForKey
  case silentSignature, forgedSignature, emptySignature
}

extension TokenOperation {
  /// Few sites, so that they often meet; the third is a source and a destination.
  private static let (sources, destinations) = (["news.example", "video.example"], ["shop.example", "video.example"])

  /// - Parameter number: of the operation in its plan, at most 255.
  fileprivate init(number: Int, _ numbers: inout SplitMix64) {
    let (source, destination) = (numbers.pick(Self.sources), numbers.pick(Self.destinations))
    let nonce = numbers.chance(3, in: 4) ? Self.nonce(&numbers) : nil
    let site = numbers.chance(1, in: 2) ? source : destination
    switch numbers.below(100) {
    case 0..<30: self = .click(number, source: source, destination: destination, nonce: nonce)
    case 30..<58:
      self = .event(
        data: numbers.below(16), priority: numbers.below(3), source: source, destination: destination, nonce: nonce)
    case 58..<66: self = .rotate(site)
    case 66..<75: self = .weather(site, numbers.chance(1, in: 2) ? .fair : numbers.pick(SigningWeather.allCases))
    case 75..<77: self = .network(isFair: numbers.chance(2, in: 3))
    case 77..<87: self = .advance(Interval(milliseconds: Int64(numbers.below(48 * 3_600_000))))
    case 87..<91: self = .untilIdle
    case 91..<93: self = .restart
    case 93..<95: self = .storeFault(StoreFault(kind: numbers.pick(StoreFault.Kind.allCases), after: numbers.below(4)))
    case 95..<97: self = .dieAtRequest(after: numbers.below(3))
    case 97..<98: self = .crash(.beforeCommit(after: numbers.below(5)))
    default: self = .crash(.afterCommit(after: numbers.below(5)))
    }
  }

  /// 16 bytes in base64url. The last character has only two bits.
  private static func nonce(_ numbers: inout SplitMix64) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    return String((0..<21).map { _ in numbers.pick(alphabet) }) + "A"
  }
}
