/// A fast parser for URLs that are already in normal form, as most are: lower-case `http` or `https`, a host of letters,
/// digits, and hyphens, and a path and query that a browser does not change. It parses without copying.
///
/// `URLText`, `HostName`, and libcurl parse all other URLs. The two parsers have equal results wherever both apply.
struct PlainURL {
  let scheme: String
  let host: String
  /// Empty when the URL has none.
  let path: String
  let query: String?

  /// Returns nil for a URL that is not plain, whether valid or not.
  init?(_ text: String) {
    let plain = text.utf8.withContiguousStorageIfAvailable { bytes -> PlainURL? in
      guard let parts = Parts(bytes) else { return nil }
      return PlainURL(bytes, parts)
    }
    guard let plain = plain ?? nil else { return nil }
    self = plain
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ parts: Parts) {
    let text = { (range: Range<Int>) in String(decoding: bytes[range], as: UTF8.self) }
    scheme = parts.isSecure ? "https" : "http"
    host = text(parts.host)
    path = text(parts.path)
    query = parts.query.map(text)
  }
}

/// The ranges of a plain URL's parts.
private struct Parts {
  let isSecure: Bool
  let host: Range<Int>
  let path: Range<Int>
  let query: Range<Int>?

  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count <= URLText.limit else { return nil }
    isSecure = bytes.starts(with: "https://".utf8)
    guard isSecure || bytes.starts(with: "http://".utf8) else { return nil }
    let start = isSecure ? 8 : 7
    let pathStart = bytes[start...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? bytes.endIndex
    guard Self.isPlainHost(bytes[start..<pathStart]) else { return nil }
    host = start..<pathStart
    let mark = bytes[pathStart...].firstIndex(of: UInt8(ascii: "?"))
    path = pathStart..<(mark ?? bytes.endIndex)
    query = mark.map { ($0 + 1)..<bytes.endIndex }
    guard Self.isPlainPath(bytes[path]) else { return nil }
    // An empty query is a special case of libcurl.
    if let query, query.isEmpty || !bytes[query].allSatisfy(Self.isPlain) { return nil }
  }

  /// Whether a host consists of labels of 1 to 63 bytes, without Punycode, and with a last label that does not start a
  /// number.
  private static func isPlainHost(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard (1...253).contains(host.count) else { return false }
    var labelStart = host.startIndex
    for index in host.indices {
      let byte = host[index]
      if byte == UInt8(ascii: ".") {
        guard isPlainLabel(host[labelStart..<index]) else { return false }
        labelStart = index + 1
      } else {
        guard byte.isASCIIDigit || byte == UInt8(ascii: "-") || (0x61...0x7A).contains(byte) else { return false }
      }
    }
    let last = host[labelStart...]
    return isPlainLabel(last) && last.first?.isASCIIDigit == false
  }

  private static func isPlainLabel(_ label: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    (1...63).contains(label.count) && !label.starts(with: "xn--".utf8)
  }

  /// Whether a path contains no dot segments, and no empty segments except the last.
  private static func isPlainPath(_ path: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    for index in path.indices {
      guard path[index] == UInt8(ascii: "/") else {
        guard isPlain(path[index]) else { return false }
        continue
      }
      let segment = path[(index + 1)...]
      if segment.first == UInt8(ascii: "/") { return false }
      // Three dots are a valid name, but too rare to distinguish here.
      if segment.first == UInt8(ascii: "."), segment.dropFirst().first.map({ "./".utf8.contains($0) }) ?? true { return false }
    }
    return true
  }

  /// Unreserved characters (RFC 3986, section 2.3) and the delimiters of queries.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || "-._~=&".utf8.contains(byte)
  }
}
