/// The bytes of an answer, up to a limit.
struct ResponseBody {
  private(set) var bytes: [UInt8] = []
  private(set) var isTruncated = false
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  /// False when there was more than the limit allows.
  mutating func append(_ more: UnsafeRawBufferPointer) -> Bool {
    let room = max(0, limit - bytes.count)
    bytes.append(contentsOf: more.prefix(room))
    isTruncated = more.count > room
    return !isTruncated
  }
}
