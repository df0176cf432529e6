/// What a verifier found about an impression, with the values that it read.
package struct ImpressionVerdict<Impression: Hashable & Sendable>: Hashable, Sendable {
  package let verdict: SignatureVerdict
  /// Nil if a signed value is missing or unusable.
  package let impression: Impression?
}
