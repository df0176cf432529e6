import PCMCore
import PCMStore

extension Browser {
  /// Submits the transaction of a call and adds the call to the journal with it.
  ///
  /// - Parameters:
  ///   - call: The call; nil when no journal is kept.
  ///   - course: The course of a move of the clock.
  ///   - isTimed: Whether the transaction may move a timer.
  ///   - progress: Returns how far the call came.
  func submit<Answer: Sendable>(
    _ call: CallNote?, on course: MoveCourse? = nil, isTimed: Bool = false,
    progress: @escaping @Sendable (Answer) -> CallProgress = { _ in CallProgress() },
    _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer> {
    guard let call else { return submit(body, isTimed: isTimed) }
    // A move ends with this transaction. The exchanges of any other call follow.
    let exchanges = course == nil ? [] : journaling.takeExchanges()
    let write = submit(
      { writer in
        let first = try course?.firstSequence ?? writer.nextSequence()
        let answer = try body(writer)
        let (end, next) = (try writer.state().now, try writer.nextSequence())
        let entry = JournaledCall(
          action: call.action, start: course?.start ?? end, end: end, firstSequence: first, nextSequence: next,
          overlaps: call.overlaps, progress: progress(answer), exchanges: exchanges)
        return (answer, entry, try writer.addToJournal(entry.text, within: Journaling.limits))
      }, isTimed: isTimed)
    return write.map { [journaling] answer, entry, number in
      if let number { call.entry = (number, entry) } else { journaling.stop() }
      return answer
    }
  }

  /// Submits the last transaction of a call that is in the journal, and completes its entry with it.
  ///
  /// - Parameter answer: Returns the answer of the call when it was not known before.
  func submit<Answer: Sendable>(
    completing call: CallNote?, isTimed: Bool = false,
    progress: @escaping @Sendable (Answer) -> CallProgress? = { _ in nil },
    _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer> {
    guard let entry = call?.entry else { return submit(body, isTimed: isTimed) }
    let exchanges = journaling.takeExchanges()
    return submit(
      { writer in
        let answer = try body(writer)
        var completed = entry.call
        completed.isUnderWay = false
        if let progress = progress(answer) { completed.answer = progress.answer }
        completed.exchanges = exchanges
        try writer.save(JournalEntry(number: entry.number, text: completed.text), within: Journaling.limits)
        return answer
      }, isTimed: isTimed)
  }

  private func submit<Answer: Sendable>(
    _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer, isTimed: Bool
  ) -> PendingWrite<Answer> {
    isTimed ? submitTimed(body) : submit(body)
  }
}
