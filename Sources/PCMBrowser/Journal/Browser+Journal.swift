import PCMCore
import PCMSimulation
import PCMStore

extension Browser {
  /// Submits the transaction of a call and adds the call to the journal with it.
  ///
  /// - Parameters:
  ///   - call: The call; nil when no journal is kept.
  ///   - advance: The advance of the clock that ends with the transaction.
  ///   - isTimed: Whether the transaction may move a timer.
  ///   - progress: Returns the progress of the call.
  func submitJournaled<Answer: Sendable>(
    _ call: PendingCall?, on advance: Advance? = nil, isTimed: Bool = false,
    progress: @escaping @Sendable (Answer) -> CallProgress = { _ in CallProgress() },
    _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer> {
    guard let call else { return submit(isTimed: isTimed, body) }
    let isFull = journaling.isFull
    // The exchanges of a call that is not a move follow.
    let exchanges = advance == nil ? .null : journaling.moveExchanges.json
    let write = submitInTwoParts(isTimed: isTimed) { writer in
      (first: try advance?.firstSequence ?? writer.nextSequence(), answer: try body(writer))
    } finish: { effect, writer in
      let (end, next, progress) = (try writer.state().now, try writer.nextSequence(), progress(effect.answer))
      let entry = JournaledCall(
        action: call.action, start: advance?.start ?? end, end: end, firstSequence: effect.first, nextSequence: next,
        overlaps: call.overlaps, progress: progress, exchanges: exchanges)
      if progress.isUnderWay { call.waitForNetwork() }
      if isFull { try writer.endJournal(.full) }
      return (effect.answer, entry, try writer.addToJournal(entry.text, within: Journaling.limits))
    }
    return write.map { [journaling] answer, entry, number in
      if let number { call.entry = (number, entry) } else { journaling.stop() }
      if advance != nil { journaling.forgetMoveExchanges() }
      return answer
    }
  }

  /// Submits the last transaction of a call that is in the journal, and completes its entry with it.
  ///
  /// - Parameter progress: Returns the answer of the call when it was not known before.
  func completeJournaled<Answer: Sendable>(
    _ call: PendingCall?, isTimed: Bool = false,
    progress: @escaping @Sendable (Answer) -> CallProgress? = { _ in nil },
    _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer> {
    guard let call, let entry = call.entry else { return submit(isTimed: isTimed, body) }
    let (isFull, exchanges) = (journaling.isFull, call.exchanges.json)
    let write = submit(isTimed: isTimed) { writer in
      let answer = try body(writer)
      guard !isFull else {
        try writer.endJournal(.full)
        return answer
      }
      var completed = entry.call
      completed.isUnderWay = false
      if let progress = progress(answer) { completed.answer = progress.answer }
      completed.exchanges = exchanges
      try writer.save(JournalEntry(number: entry.number, text: completed.text), within: Journaling.limits)
      return answer
    }
    return write.map { [journaling] answer in
      call.endWaiting()
      if isFull { journaling.stop() }
      return answer
    }
  }
}

extension ExchangeList {
  /// The exchanges as an array; null without any. Rendered in advance, to keep the transaction short.
  fileprivate var json: JSON { exchanges.isEmpty ? .null : .verbatim(JSON.array(exchanges.map(\.json)).text) }
}
