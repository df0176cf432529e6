internal import PCMCrypto

/// The advice about a signature that does not verify.
package struct SignatureRemedy: Hashable, Sendable {
  /// A sentence about the text that was signed instead; nil if the faults explain the failure.
  package let finding: String?
  package let instruction: String

  package init(finding: String? = nil, instruction: String) {
    self.finding = finding
    self.instruction = instruction
  }

  /// The sentences of the advice.
  package var text: String { [finding, instruction].compactMap { $0 }.joined(separator: " ") }
}

/// The description of a change that makes an item readable.
struct Repair: Hashable, Sendable {
  /// A clause about the error, such as `campaign-id is a string`.
  let finding: String
  /// The change, such as `as a number`.
  let change: String
  /// A sentence with the remedy.
  let instruction: String
}

/// The effect of a change.
enum RepairResult {
  case verifies
  case fails
  /// The item is readable, but no key can verify the signature.
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
  /// Creates the advice from changes and their result.
  ///
  /// - Parameter further: The advice for further steps.
  init(_ repairs: [Repair], _ result: RepairResult, further: SignatureRemedy? = nil) {
    let findings = Self.distinct(repairs.map(\.finding))
    let change = repairs.count == 1 ? repairs[0].change : "corrected,"
    let sentence = "\(Self.list(findings)); \(change) \(result.clause)."
    // The names of members keep their case.
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
