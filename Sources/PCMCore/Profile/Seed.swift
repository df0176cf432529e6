/// The rules for the seed of a browser's random values.
package enum Seed {
  /// The maximum length in bytes of UTF-8.
  package static let maximumLength = 200

  /// Returns the error in a seed; nil when it is valid. U+0000 is excluded because SQLite and other C libraries end text there.
  package static func error(in text: String) -> InputError? {
    guard (1...maximumLength).contains(text.utf8.count) else {
      return InputError([], "a seed has 1 to \(maximumLength) bytes of UTF-8; this one has \(text.utf8.count)", .outOfRange)
    }
    guard !text.utf8.contains(0) else { return InputError([], "a seed contains no U+0000; remove it") }
    return nil
  }
}
