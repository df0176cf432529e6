package import PCMCore

/// An error of a store. Its description is a sentence without the final period, for logs and for people.
package enum StoreError: Error, Hashable, Sendable {
  case browserExists(name: String)
  /// The store has the maximum number of browsers.
  case tooManyBrowsers
  /// A request with the same idempotency key took effect before.
  case keptAlready
  case unknownBrowser
  case closed
  /// The tables of the file have another version, so another version of the service wrote it.
  case otherVersion(path: String, found: Int, expected: Int)
  /// The file belongs to another program.
  case foreignFile(path: String)
  /// The file that marks the folder as in use cannot be locked.
  case brokenOwnerFile(path: String, reason: String)
  /// The file was moved or removed while the store was open.
  case missingFile(path: String)
  /// The store has its maximum size, or its disk is full. Nothing of the transaction was stored.
  case full
  /// The connection to the store ended during a commit, and whether the transaction took effect cannot be read. The text contains
  /// the database's error.
  case unknownOutcome(String)
  /// A value has a time that the store does not accept, because the machine's clock is wrong. Nothing of the transaction was
  /// stored.
  case unstorableTime(Instant)
  /// A row of a browser has a value that is not valid, because the file was damaged or edited.
  ///
  /// - Parameter row: The value of the row's first column, which identifies it within its browser.
  case unreadable(table: String, row: String, column: String)
  /// The store is writable, but this process must not be used: others take over its browsers, or its clock is wrong. The text says
  /// which.
  case notReady(String)
  /// The store cannot be opened, read, or written. The text contains the database's error.
  case unavailable(String)
}

/// A stored browser with a damaged row.
package struct UnreadableBrowser: Error, Hashable, Sendable {
  package let id: BrowserID
  /// Nil when the name is also damaged.
  package let name: String?
  package let error: StoreError

  package init(id: BrowserID, name: String?, error: StoreError) {
    (self.id, self.name, self.error) = (id, name, error)
  }
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .browserExists(let name): "the browser \(name) already exists"
    case .tooManyBrowsers: "the store has the maximum number of browsers"
    case .keptAlready: "a request with the same Idempotency-Key took effect before"
    case .unknownBrowser: "the browser does not exist"
    case .closed: "the store is closed"
    case .otherVersion(let path, let found, let expected):
      "\(path) has version \(found), and this pcm-browser requires version \(expected); use the pcm-browser that wrote it"
    case .foreignFile(let path): "\(path) is not a database of pcm-browser and was not changed"
    case .brokenOwnerFile(let path, let reason):
      "the owner file \(path) cannot be locked: \(reason); remove it while no other process uses its folder"
    case .missingFile(let path): "\(path) was moved or removed while the service used it"
    case .full: "the database has its maximum size, or its disk is full"
    case .unknownOutcome(let text): "the connection was lost during the commit, and its result cannot be read: \(text)"
    case .unstorableTime(let time): "the time \(time.text) is not in the years 1970 to 9999; set the machine's clock"
    case .unreadable(let table, let row, let column):
      "row \(row) of the table \(table) is not readable: its \(column) is not valid"
    case .notReady(let text), .unavailable(let text): text
    }
  }
}
