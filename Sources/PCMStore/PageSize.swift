package import PCMCore

/// The size of a page in bytes. A page ends with the item that reaches the maximum, and the caller continues after it.
package enum PageSize {
  /// The maximum of a list.
  package static let mostBytes = 1_048_576
  /// The maximum that is read for a page whose items leave out parts of what is stored.
  package static let mostReadBytes = 4_194_304
}

extension Collection<LogEvent> {
  /// The size of the details in bytes.
  package var size: Int { reduce(0) { $0 + $1.size } }

  /// Returns the first events, as many as a page has.
  ///
  /// - Parameter bytes: The size with which a page ends.
  package func page(of bytes: Int) -> [LogEvent] {
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
  package var size: Int {
    if case .verbatim(let text) = detail { text.utf8.count } else { detail.bytes.count }
  }
}
