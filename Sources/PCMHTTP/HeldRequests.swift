import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Decides which parts of requests reach the service: those of one request at a time. Later requests are held until its
/// response has ended.
struct HeldRequests {
  private var parts: [HTTPRequestPart] = []
  /// The approximate size of the held parts.
  private(set) var byteCount = 0
  /// Whether a request was passed on whose response has not ended.
  private var isOwed = false
  /// Whether all parts of the latest request were passed on.
  private var isComplete = false
  private var isOver = false

  /// Whether the service prepares a response to a complete request, so that further input belongs to later ones.
  var isAwaitingResponse: Bool { isOwed && isComplete && !isOver }

  var isEmpty: Bool { parts.isEmpty }

  /// Takes a part that arrived. Returns whether it is passed on now.
  mutating func receive(_ part: HTTPRequestPart) -> Bool {
    guard !isOver else { return false }
    guard !parts.isEmpty || (part.isHead && isOwed) else {
      pass(part)
      return true
    }
    parts.append(part)
    byteCount += part.byteCount
    return false
  }

  mutating func responseEnded() { isOwed = false }

  /// Removes and returns the parts of the next request, as far as they have arrived.
  mutating func takeNext() -> [HTTPRequestPart] {
    guard !isOwed, !parts.isEmpty else { return [] }
    let next = Array(parts[..<(parts.dropFirst().firstIndex { $0.isHead } ?? parts.endIndex)])
    parts.removeFirst(next.count)
    for part in next {
      byteCount -= part.byteCount
      pass(part)
    }
    return next
  }

  /// Drops the held requests, and all further ones.
  mutating func end() { (parts, byteCount, isOver) = ([], 0, true) }

  private mutating func pass(_ part: HTTPRequestPart) {
    switch part {
    case .head: (isOwed, isComplete) = (true, false)
    case .body: break
    case .end: isComplete = true
    }
  }
}

extension HTTPRequestPart {
  fileprivate var isHead: Bool { if case .head = self { true } else { false } }

  /// The approximate size of what a request line, a chunk, or an end has besides its texts.
  private static var framing: Int { 16 }

  fileprivate var byteCount: Int {
    let size =
      switch self {
      case .head(let head): (head.path?.utf8.count ?? 0) + (head.authority?.utf8.count ?? 0) + head.headerFields.byteCount
      case .body(let bytes): bytes.readableBytes
      case .end(let trailers): trailers?.byteCount ?? 0
      }
    return size + Self.framing
  }
}

extension HTTPFields {
  fileprivate var byteCount: Int { reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 } }
}
