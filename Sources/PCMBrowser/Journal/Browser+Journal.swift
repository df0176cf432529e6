import PCMCore
import PCMNetwork
import PCMStore

extension Browser {
  /// Submits the last transaction of a call that is in the journal, and completes its entry with it.
  ///
  /// - Parameter progress: Returns the answer of the call when it was not known before.
  func completeJournaled<Answer: Sendable>(
    _ call: PendingCall?, isTimed: Bool = false,
    progress: @escaping @Sendable (Answer) -> CallProgress? = { _ in nil },
    _ body: @escaping @Sendable (any BrowserWriter, inout DecisionState) throws -> Answer
  ) -> PendingWrite<Answer> {
    guard let call, let entry = call.entry else { return submit(isTimed: isTimed, body) }
    let (isFull, exchanges) = (journaling.isFull, call.exchanges.json)
    let write = submit(isTimed: isTimed) { writer, state in
      let answer = try body(writer, &state)
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
  var json: JSON { exchanges.isEmpty ? .null : .verbatim(JSON.array(exchanges.map(\.json)).text) }
}
