internal import PCMCore
internal import PCMCrypto

/// The signed text: its values, their separator, and the encoding of the text.
struct SignedForm {
  /// The values. A text without values is a single value.
  var values: [(member: SignedMember, text: String)] = []
  var separator = String(Character(SignedText.separator))
  var encode: @Sendable ([UInt8]) -> [UInt8] = { $0 }

  var text: String { values.map(\.text).joined(separator: separator) }
  var bytes: [UInt8] { encode(Array(text.utf8)) }

  /// Replaces a value, inserts it at its position, or omits it.
  mutating func set(_ member: SignedMember, _ text: String?) {
    let order = SignedMember.allCases.firstIndex(of:)
    let index = values.firstIndex { order($0.member) ?? 0 >= order(member) ?? 0 } ?? values.endIndex
    if index < values.endIndex, values[index].member == member { values.remove(at: index) }
    if let text { values.insert((member, text), at: index) }
  }
}

/// A mistake of a signer: the wrong signed text, and the fix.
struct Mistake: Sendable {
  /// The part that a mistake changes. Mistakes with different parts can occur together.
  enum Part: Hashable, Sendable {
    case value(SignedMember)
    /// Several values, or their order.
    case values
    case separator
    case bytes
  }

  let part: Part
  /// A sentence.
  let finding: String
  /// A sentence with the remedy.
  let instruction: String
  /// Whether the mistake is also tried together with other mistakes.
  let isFrequent: Bool
  let change: @Sendable (inout SignedForm) -> Void

  init(
    _ part: Part, _ finding: String, _ instruction: String, isFrequent: Bool = false,
    _ change: @escaping @Sendable (inout SignedForm) -> Void
  ) {
    (self.part, self.finding, self.instruction, self.isFrequent, self.change) = (part, finding, instruction, isFrequent, change)
  }

  /// Creates a mistake with the bytes of the text.
  static func bytes(
    _ finding: String, _ instruction: String, isFrequent: Bool = false, _ encode: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) -> Mistake {
    Mistake(.bytes, finding, instruction, isFrequent: isFrequent) { $0.encode = encode }
  }
}

/// Finds the mistakes that explain a signature.
///
/// It tries each mistake alone, and then pairs of frequent mistakes, up to a limit.
struct SignatureSearch {
  /// The maximum number of texts to verify. A version 4.0 ad has some 280 single mistakes. The device's calls that add an ad
  /// have the same limit, so that they give the same explanations as `verify`. A search without a result takes some 60 ms in
  /// a debug build.
  static let limit = 400

  private let keys: [NamedKey]
  /// The number of verified texts.
  private(set) var count: Int

  init(_ keys: [NamedKey], after count: Int = 0) { (self.keys, self.count) = (keys, count) }

  /// Returns the first mistake, or the first pair of mistakes, with which a signature verifies.
  mutating func remedy(_ signature: ECDSASignature, over form: SignedForm, _ mistakes: [Mistake]) -> SignatureRemedy? {
    var tried: Set<[UInt8]> = [form.bytes]
    for combination in mistakes.map({ [$0] }) + pairs(of: mistakes.filter(\.isFrequent)) {
      guard count < Self.limit else { return nil }
      var changed = form
      for mistake in combination { mistake.change(&changed) }
      let bytes = changed.bytes
      guard tried.insert(bytes).inserted else { continue }
      count += 1
      if keys.contains(where: { $0.key.verifies(signature, over: bytes) }) { return SignatureRemedy(combination) }
    }
    return nil
  }

  /// Returns pairs of mistakes with different parts, the most likely first.
  private func pairs(of mistakes: [Mistake]) -> [[Mistake]] {
    var pairs: [(rank: Int, mistakes: [Mistake])] = []
    for (first, mistake) in mistakes.enumerated() {
      for (second, other) in mistakes.enumerated() where first < second && mistake.part != other.part {
        pairs.append((first + second, [mistake, other]))
      }
    }
    return pairs.sorted { $0.rank < $1.rank }.map(\.mistakes)
  }
}

extension SignatureRemedy {
  fileprivate init(_ mistakes: [Mistake]) {
    self.init(
      finding: mistakes.map(\.finding).joined(separator: " "), instruction: mistakes.map(\.instruction).joined(separator: " "))
  }
}
