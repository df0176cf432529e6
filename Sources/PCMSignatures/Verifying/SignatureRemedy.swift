/// What to do about a signature that does not verify, in sentences.
package struct SignatureRemedy: Hashable, Sendable {
  /// What was signed instead; nil if the faults say what is wrong.
  package let finding: String?
  package let instruction: String

  package init(finding: String? = nil, instruction: String) {
    self.finding = finding
    self.instruction = instruction
  }

  /// The sentences.
  package var text: String { [finding, instruction].compactMap { $0 }.joined(separator: " ") }
}
