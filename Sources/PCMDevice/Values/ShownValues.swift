internal import PCMCore

/// The sizes of values in reasons and in the log. Ads and their values come from anyone, and the log keeps them.
enum ShownSize {
  static let value = 200
  /// Enough for the signed values of every ad that can count.
  static let signedText = 600
}

extension String {
  /// The text for use in a reason.
  var shown: String { asShown(upTo: ShownSize.value) }

  /// A verifier's sentences as a part of a sentence: without a capital letter at the beginning and a period at the end.
  var asFragment: String {
    let text = hasSuffix(".") ? String(dropLast()) : self
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}

extension JSON {
  /// A text as a value of the log.
  static func shown(_ text: String?, upTo count: Int = ShownSize.value) -> JSON { .string(text?.truncated(to: count)) }

  /// Values as a value of the log: the first ones, and an ellipsis if there are more.
  static func shown(_ values: [JSON]) -> JSON {
    var size = 0
    let first = values.prefix { value in
      defer { size += value.bytes.count }
      return size < ShownSize.value
    }
    return .array(first.map { $0.shown() } + (first.count < values.count ? ["…"] : []))
  }

  /// The value as a value of the log: a large one as the beginning of its text.
  func shown(upTo count: Int = ShownSize.value) -> JSON {
    let value = withoutUserInformation
    let text = value.text
    return text.utf8.count <= count ? value : .shown(text, upTo: count)
  }
}
