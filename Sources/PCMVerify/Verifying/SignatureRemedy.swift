internal import PCMCrypto

/// The advice about a signature that does not verify, in sentences.
package struct SignatureRemedy: Hashable, Sendable {
  /// The text that was signed instead; nil if the faults explain the failure.
  package let finding: String?
  package let instruction: String

  package init(finding: String? = nil, instruction: String) {
    self.finding = finding
    self.instruction = instruction
  }

  /// The sentences.
  package var text: String { [finding, instruction].compactMap { $0 }.joined(separator: " ") }
}

/// A change that makes an item readable, in words.
struct Repair: Hashable, Sendable {
  /// A clause about what is wrong, such as `campaign-id is a string`.
  let finding: String
  /// The change, such as `as a number`.
  let change: String
  /// A sentence about what to do.
  let instruction: String
}

/// The effect of a change.
enum RepairResult {
  case verifies
  case fails
  /// No key can verify the signature.
  case isReadable

  fileprivate var clause: String {
    switch self {
    case .verifies: "the signature verifies"
    case .fails: "the signature still does not verify"
    case .isReadable: "the item can be read"
    }
  }
}

extension SignatureRemedy {
  /// Changes with their result.
  ///
  /// - Parameter further: What remains to be done after the changes.
  init(_ repairs: [Repair], _ result: RepairResult, further: SignatureRemedy? = nil) {
    let findings = Self.distinct(repairs.map(\.finding))
    let change = repairs.count == 1 ? repairs[0].change : "corrected,"
    let sentence = "\(Self.list(findings)); \(change) \(result.clause)."
    // Names of members keep their case.
    let isName = sentence.prefix { $0 != " " }.contains("-") || !["the ", "members "].contains(where: sentence.hasPrefix)
    let finding = isName ? sentence : sentence.prefix(1).uppercased() + sentence.dropFirst()
    self.init(
      finding: [finding, further?.finding].compactMap { $0 }.joined(separator: " "),
      instruction: Self.distinct(repairs.map(\.instruction) + (further.map { [$0.instruction] } ?? [])).joined(separator: " "))
  }

  private static func distinct(_ texts: [String]) -> [String] {
    texts.enumerated().filter { index, text in texts.firstIndex(of: text) == index }.map(\.element)
  }

  private static func list(_ texts: [String]) -> String {
    texts.count < 3
      ? texts.joined(separator: " and ") : texts.dropLast().joined(separator: ", ") + ", and " + (texts.last ?? "")
  }
}
