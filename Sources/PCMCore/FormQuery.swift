/// A parser of `application/x-www-form-urlencoded` queries: it skips empty pieces, gives a piece without `=` an empty
/// value, reads `+` as a space, and decodes percent-encoded bytes as UTF-8.
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
