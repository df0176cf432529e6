package import PCMCore

/// The size of a page in bytes. A page ends with the item that reaches the maximum, and the caller continues after it.
package enum PageSize {
  /// The maximum of a list.
  package static let mostBytes = 1_048_576
}

extension Collection<LogEvent> {
  /// Returns the first events, as many as a page has.
  ///
  /// - Parameter bytes: The size with which a page ends.
  package func page(of bytes: Int = PageSize.mostBytes) -> [LogEvent] {
    var (page, size) = ([LogEvent](), 0)
    for event in self {
      page.append(event)
      size += event.size
      if size >= bytes { break }
    }
    return page
  }
}

extension LogEvent {
  /// The size of the detail in bytes.
  fileprivate var size: Int {
    if case .verbatim(let text) = detail { text.utf8.count } else { detail.bytes.count }
  }
}
