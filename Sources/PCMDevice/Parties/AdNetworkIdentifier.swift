/// The rule for the identifiers of ad networks, such as `example123.skadnetwork` (SKAdNetwork reference, section 1).
///
/// Identifiers that end in `.skadnetwork` and in `.adattributionkit` work in both frameworks, and Apple's samples have neither
/// ending (`com.example`), so the ending decides nothing.
package enum AdNetworkIdentifier {
  /// Returns whether the identifier has no upper-case letter. A device does not recognize any other.
  package static func isLowerCase(_ text: String) -> Bool {
    !text.isEmpty && text == text.lowercased()
  }
}
