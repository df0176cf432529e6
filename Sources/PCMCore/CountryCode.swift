/// The country of an account, such as `US`.
package enum CountryCode {
  /// Returns whether the text is two upper-case letters.
  package static func isValid(_ text: String) -> Bool {
    text.utf8.count == 2 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }
}
