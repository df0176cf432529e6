/// The `application/x-www-form-urlencoded` reading of a query: empty pieces are passed over, a piece without `=` has an
/// empty value, `+` is a space, percent-encoded bytes are decoded as UTF-8.
enum FormQuery {
  struct Parameter: Hashable {
    let name: String
    let value: String
  }

  static func parameters(of query: String) -> [Parameter] {
    query.utf8.split(separator: UInt8(ascii: "&")).map { piece in
      let parts = piece.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      return Parameter(
        name: PercentEncoding.decoded(parts[0], plusIsSpace: true),
        value: parts.count > 1 ? PercentEncoding.decoded(parts[1], plusIsSpace: true) : "")
    }
  }
}
