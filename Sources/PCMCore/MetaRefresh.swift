/// The redirects that an HTML document makes with `<meta http-equiv="refresh">`.
package enum MetaRefresh {
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
    let lower = attributes.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
    guard lower.starts(with: "meta".utf8), lower.firstRange(of: "http-equiv".utf8) != nil,
      lower.firstRange(of: "refresh".utf8) != nil, let mark = lower.firstRange(of: "url=".utf8)
    else { return nil }
    let isDelimiter: (UInt8) -> Bool = { $0 <= 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
    let target = attributes[mark.upperBound...].drop(while: isDelimiter).prefix { !isDelimiter($0) }
    return String(decoding: target, as: UTF8.self)
  }
}
