/// The room for the recordings of a run. Once something does not fit, nothing more is recorded, so that each recording ends at a
/// call and the log has an end for each.
struct RecordingRoom {
  private let maximumByteCount: Int
  private var remaining: Int

  /// What a file counts in addition to its contents, so that many short recordings have a bound, too.
  static let bytesOfFile = 4_096

  init(_ maximumByteCount: Int) {
    self.maximumByteCount = maximumByteCount
    remaining = maximumByteCount
  }

  var isUsedUp: Bool { remaining == 0 }

  mutating func addFile() throws(RecordingsFull) { try add(Self.bytesOfFile) }

  mutating func add(_ byteCount: Int) throws(RecordingsFull) {
    guard byteCount <= remaining else {
      remaining = 0
      throw RecordingsFull(maximumByteCount: maximumByteCount)
    }
    remaining -= byteCount
  }
}

/// The recordings of a run have their maximum size.
struct RecordingsFull: Error, CustomStringConvertible {
  let maximumByteCount: Int

  var description: String {
    "the recordings of this run have reached --max-recordings \(ByteCount(maximumByteCount).defaultValueDescription), and nothing "
      + "more is recorded; to continue, restart the service, with a larger size if necessary"
  }
}
