/// A number with its noun, in the singular for 1: `1 request`, `60 requests`.
func counted(_ number: Int, _ noun: String) -> String {
  "\(number) \(noun)\(number == 1 ? "" : "s")"
}

extension String {
  /// The text without a final period, for use inside another sentence.
  var asClause: String { hasSuffix(".") && !hasSuffix("..") ? String(dropLast()) : self }
}
