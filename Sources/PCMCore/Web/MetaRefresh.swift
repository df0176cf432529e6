/// The redirects that a document makes with `<meta http-equiv="refresh">` or the header field `Refresh`.
package enum MetaRefresh {
  /// Returns the target of the field's value, as written, if it resembles the trigger path. The name `url` is optional.
  package static func trigger(inField text: String) -> String? {
    let bytes = Array(text.utf8.prefix(maximumBytes))
    guard let separator = bytes.firstIndex(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }) else { return nil }
    var rest = bytes[(separator + 1)...].drop { $0 <= 0x20 }
    if lowercased(rest.prefix(3)) == Array("url".utf8) {
      let value = rest.dropFirst(3).drop { $0 <= 0x20 }
      if value.first == UInt8(ascii: "=") { rest = value.dropFirst() }
    }
    let target = url(at: rest)
    return IgnoredTrigger.isResembled(by: target) ? target : nil
  }

  /// Returns the first target that resembles the trigger path, as written.
  package static func trigger(in body: some Sequence<UInt8>) -> String? {
    let elements = Array(body.prefix(maximumBytes)).split(separator: UInt8(ascii: "<"))
    return elements.lazy.compactMap(target).first(where: IgnoredTrigger.isResembled)
  }

  /// A `<meta>` is in the head of a document.
  private static let maximumBytes = 16_384

  /// Returns the URL in `content="0; url=…"`; nil for another element.
  private static func target(of element: ArraySlice<UInt8>) -> String? {
    let attributes = Array(element.prefix { $0 != UInt8(ascii: ">") })
    let lower = lowercased(attributes[...])
    guard lower.starts(with: "meta".utf8), lower.firstRange(of: "http-equiv".utf8) != nil,
      lower.firstRange(of: "refresh".utf8) != nil, let mark = lower.firstRange(of: "url=".utf8)
    else { return nil }
    return url(at: attributes[mark.upperBound...])
  }

  private static func url(at text: ArraySlice<UInt8>) -> String {
    let isDelimiter: (UInt8) -> Bool = { $0 <= 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
    return String(decoding: text.drop(while: isDelimiter).prefix { !isDelimiter($0) }, as: UTF8.self)
  }

  private static func lowercased(_ text: ArraySlice<UInt8>) -> [UInt8] {
    text.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
  }
}
