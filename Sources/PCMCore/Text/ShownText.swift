/// Text of unknown size and content, in sentences and in the log.
extension String {
  /// Returns the text without the user information of its URLs, or its beginning and an ellipsis if it has more Unicode scalars.
  ///
  /// Scalars bound the number of bytes. A `Character` can consist of any number of them.
  package func truncated(to count: Int) -> String {
    let text = withMarkedUserInformation
    let beginning = text.unicodeScalars.prefix(count)
    return beginning.endIndex == text.endIndex ? text : String(String.UnicodeScalarView(beginning)) + "…"
  }

  /// Returns the text for use in a sentence: truncated, and without characters that control a terminal or are invisible.
  package func asShown(upTo count: Int) -> String {
    let scalars = truncated(to: count).unicodeScalars.map { $0.isVisible ? $0 : "\u{FFFD}" }
    return String(String.UnicodeScalarView(scalars))
  }
}

extension Unicode.Scalar {
  /// Whether the character is visible or a space: it does not control a terminal or the reading direction.
  package var isVisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
    default: true
    }
  }
}

extension ClosedRange where Bound: BinaryInteger {
  /// The bounds for use in a sentence, such as `0 to 63`.
  package var words: String { "\(lowerBound) to \(upperBound)" }
}
