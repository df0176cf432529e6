import PCMBrowser
import PCMCore
import PCMStore

/// The cursors of one list: positions as opaque text, in pages, in event streams, and in the answer of a move of the clock.
///
/// The text names the list and its browser. A cursor of another list, or of an earlier browser of the same name, is therefore
/// an error, not a wrong position.
struct ListCursors {
  private let list: String
  private let owner: String

  /// The cursors of a list of the service.
  init(_ list: String) {
    (self.list, owner) = (list, "")
  }

  /// The cursors of a list of a browser.
  init(_ list: String, of browser: Browser) {
    (self.list, owner) = (list, browser.cursorOwner)
  }

  func text(_ position: Int64) -> String { text(String(position)) }

  func text(_ position: String) -> String { Base64URL.encode(Array("\(list) \(owner) \(position)".utf8)) }

  enum Reading {
    case position(String)
    /// The cursor of an earlier browser of the same name, or of another browser.
    case otherBrowser
    case otherList
  }

  func read(_ text: String) -> Reading {
    guard let bytes = Base64URL.decode(text), let decoded = String(validating: bytes, as: UTF8.self) else { return .otherList }
    // Not by characters: a position that begins with a combining character forms one with the space before it.
    let parts = decoded.utf8.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].elementsEqual(list.utf8) else { return .otherList }
    return parts[1].elementsEqual(owner.utf8) ? .position(String(Substring(parts[2]))) : .otherBrowser
  }
}

extension ListCursors {
  /// The log of a browser: a list, a stream, and the rest of the events of a move.
  static func events(of browser: Browser) -> ListCursors { ListCursors("events", of: browser) }
}

extension Browser {
  /// Text that distinguishes the browser from others in cursors. The incarnation is random.
  fileprivate var cursorOwner: String { String(record.incarnation.prefix(12)) }
}

extension QueryReader {
  /// Returns the position in a parameter, or nil on the first page.
  func cursor(_ cursors: ListCursors, in name: String = "cursor") throws -> String? {
    guard let text = text(name) else { return nil }
    switch cursors.read(text) {
    case .position(let position): return position
    case .otherBrowser:
      throw Problem.invalidParameter(
        name, "the cursor belongs to another browser, or to an earlier one of this name; start without a cursor")
    case .otherList:
      throw Problem.invalidParameter(name, "\"\(text)\" is not a cursor of this list; use the \"next\" of a page")
    }
  }

  /// Returns the number in a parameter, or 0 on the first page.
  ///
  /// - Parameter orNumber: Whether the parameter may also be the number itself.
  func numericCursor(_ cursors: ListCursors, in name: String = "cursor", orNumber: Bool = false) throws -> Int64 {
    if orNumber, let text = text(name), text.utf8.count <= 19, let number = Int64(digits: text) { return number }
    guard let position = try cursor(cursors, in: name) else { return 0 }
    guard let number = Int64(digits: position) else {
      throw Problem.invalidParameter(name, "the cursor is not one of this list; use the \"next\" of a page")
    }
    return number
  }
}
