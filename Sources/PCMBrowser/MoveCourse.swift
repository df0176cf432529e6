import PCMCore
import PCMStore

/// The course of a move of a manual clock. A request with a key notes it before the first step, so that its repetition continues
/// the same move after an interruption.
struct MoveCourse: Hashable, Sendable {
  /// The time of the clock before the move, or at its last stop.
  var start: Instant
  /// The last instant of the move.
  let end: Instant
  /// The number of the first event of the move.
  let firstSequence: Int64
  /// Whether an event occurred already that ends a move to the next event.
  var hasSent = false
}

extension MoveCourse {
  /// The course as text.
  var note: String { "\(start.milliseconds) \(end.milliseconds) \(firstSequence)" }

  init?(note: String) {
    let numbers = note.split(separator: " ").compactMap { Int64($0) }
    guard numbers.count == 3 else { return nil }
    self.init(
      start: Instant(milliseconds: numbers[0]), end: Instant(milliseconds: numbers[1]), firstSequence: numbers[2])
  }
}

extension Browser {
  /// Returns the course of a move: that of an interrupted request, or a new one, which a request with a key notes.
  func course(of move: ClockMove, for request: KeyedRequest<Advanced>?) async throws -> MoveCourse {
    if let note = request?.continuation { return try await continued(note) }
    let (start, end) = (now, try end(of: move))
    let first = try await store.read(record.id) { try $0.nextSequence() }
    let course = MoveCourse(start: start, end: end, firstSequence: first)
    if let request { try await submit { try request.begin(course.note, in: $0) }.answer() }
    return course
  }

  private func continued(_ note: String) async throws -> MoveCourse {
    guard var course = MoveCourse(note: note) else { throw StoreError.unavailable("the course of a move is damaged") }
    let first = course.firstSequence
    let hasMoved = now > course.start
    let (hasSent, isUnrecorded) = try await store.read(record.id) { reader in
      (try reader.hasSentMessage(since: first), try reader.hasUnrecordedPart(of: first, hasMoved: hasMoved))
    }
    if isUnrecorded {
      try await submit { try $0.endJournal(.interrupted) }.answer()
      journaling.stop()
    }
    course.hasSent = hasSent || hasMoved
    return course
  }
}

extension BrowserReader {
  /// Whether a move of the clock took effect since its last entry in the journal. The responses to its requests are not known
  /// then.
  ///
  /// - Parameter first: The number of the first event of the move.
  fileprivate func hasUnrecordedPart(of first: Int64, hasMoved: Bool) throws -> Bool {
    guard try journalEnding() == nil else { return false }
    let recorded = try journal().last.flatMap { JournaledCall(text: $0.text) }?.nextSequence ?? first
    return try hasMoved || hasSentMessage(since: max(first, recorded))
  }

  /// Whether one of the first events from a sequence number on is the sending of a message.
  fileprivate func hasSentMessage(since sequence: Int64) throws -> Bool {
    try events(after: sequence - 1, limit: Advanced.page).contains { [.reportSent, .postbackSent].contains($0.kind) }
  }
}
