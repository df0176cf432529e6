internal import PCMCore

/// The maximum sizes of values in reasons and in the log. Ads are untrusted input, and the log keeps their values.
enum ShownSize {
  static let value = 200
  /// Sufficient for the signed values of every ad that can count.
  static let signedText = 600
}

extension String {
  /// The text, truncated for a reason.
  var shown: String { asShown(upTo: ShownSize.value) }

  /// A verifier's sentences as a clause: without an initial capital letter and a final period.
  var asFragment: String {
    let text = hasSuffix(".") ? String(dropLast()) : self
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}

extension JSON {
  /// Returns a text, truncated for the log.
  static func shown(_ text: String?, upTo count: Int = ShownSize.value) -> JSON { .string(text?.truncated(to: count)) }

  /// Returns values for the log: the first values, and an ellipsis if there are more.
  static func shown(_ values: [JSON]) -> JSON {
    var size = 0
    let first = values.prefix { value in
      defer { size += value.bytes.count }
      return size < ShownSize.value
    }
    return .array(first.map { $0.shown() } + (first.count < values.count ? ["…"] : []))
  }

  /// Returns the value for the log. A large value is replaced by the beginning of its text.
  func shown(upTo count: Int = ShownSize.value) -> JSON {
    let value = withoutUserInformation
    let text = value.text
    return text.utf8.count <= count ? value : .shown(text, upTo: count)
  }
}
