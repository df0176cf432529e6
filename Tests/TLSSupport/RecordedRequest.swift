/// One request as it came in.
package struct RecordedRequest: Hashable, Sendable {
  /// Which connection it came on; the server's first is 1.
  package let connection: Int
  /// `1.1` or `2`.
  package let version: String
  package let method: String
  /// The path and query as sent.
  package let target: String
  /// In the order in which they came, names as sent. Over HTTP/2 the pseudo headers are among them.
  package let headers: [Header]
  /// Over HTTP/1.1 the bytes up to and including the empty line; empty over HTTP/2.
  package let head: [UInt8]
  package var body: [UInt8]
  /// Whether the client offered to resume an earlier TLS session on this connection, which tells the server that it
  /// has been here before.
  package let offersResumption: Bool

  package struct Header: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The values of a header in any spelling.
  package subscript(name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}
