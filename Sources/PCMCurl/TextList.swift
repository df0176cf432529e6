import CCurl

/// A `curl_slist`: what libcurl takes for headers and for the entries of a route. Freed with this object, which whoever
/// hands it to libcurl keeps for as long as libcurl does.
final class TextList {
  private(set) var first: UnsafeMutablePointer<curl_slist>?

  init(_ lines: some Sequence<String>) throws(CurlError) {
    for line in lines { try append(line) }
  }

  deinit { curl_slist_free_all(first) }

  func append(_ line: String) throws(CurlError) {
    guard let longer = curl_slist_append(first, line) else { throw CurlError(call: "curl_slist_append", text: "out of memory") }
    first = longer
  }
}
