import PCMCore
import PCMStore

extension Browser {
  /// Submits the transaction of a decision, which also trims the log if it exceeds its limit, and adds its call to the journal.
  /// Once it is committed, resumes the tasks that wait for the log.
  ///
  /// - Parameters:
  ///   - call: The call that begins with the transaction; nil for no call, and when no journal is kept.
  ///   - advance: The advance of the clock that ends with the transaction.
  ///   - isTimed: Whether the transaction may move a timer. It then saves the next due time, which is announced once it is committed.
  ///   - waits: Whether the transaction follows a move of the clock by another instance that is under way.
  ///   - progress: Returns the progress of the call; nil for a call that changed nothing, which is not added to the journal.
  func submit<Answer: Sendable>(
    _ call: JSON.Member? = nil, on advance: Advance? = nil, isTimed: Bool = false, waits: Bool = true,
    progress: @escaping @Sendable (Answer) -> CallProgress? = { _ in CallProgress() },
    _ body: @escaping @Sendable (any BrowserWriter, inout DecisionState) throws -> Answer
  ) -> PendingWrite<Answer> {
    guard waits, store.isShared else { return transact(call, on: advance, isTimed: isTimed, progress: progress, body) }
    return inTurn(body) { [self] in transact(call, on: advance, isTimed: isTimed, progress: progress, $0) }
  }

  private func transact<Answer: Sendable>(
    _ call: JSON.Member?, on advance: Advance?, isTimed: Bool,
    progress: @escaping @Sendable (Answer) -> CallProgress?,
    _ body: @escaping @Sendable (any BrowserWriter, inout DecisionState) throws -> Answer
  ) -> PendingWrite<Answer> {
    let (machineTime, known) = (machineTime, withState { $0.registry })
    let start = environment.storeMeter.uptime()
    let write = store.submit(record.id) { [self] writer in
      let sequence = try writer.nextSequence()
      if let machineTime { try writer.noteSetBack(of: machineTime) }
      var state = try DecisionState(writer, of: self, machineTime: machineTime, known: known)
      let answer = try body(writer, &state)
      try state.save(in: writer)
      try writer.trimLog(since: sequence)
      var endsJournal = false
      if let call, let progress = progress(answer) {
        let end = try writer.state().now
        let journaled = JournaledCall(
          action: call, start: advance?.start ?? end, end: end, firstSequence: advance?.firstSequence ?? sequence,
          nextSequence: try writer.nextSequence(), progress: progress)
        endsJournal = try !writer.addToJournal(journaled.text, within: Journaling.limits)
      }
      let changed = state.registry.version == known.version ? nil : state.registry
      let due = isTimed ? try writer.nextScheduledWork() : nil
      if let due, machineTime != nil { try writer.save(dueAt: due.at) }
      return (answer, endsJournal, due, writer.appended, changed)
    }
    return write.map { [self] answer, endsJournal, due, events, registry in
      environment.storeMeter.didWrite(storage, environment.storeMeter.uptime() - start, events)
      logSignal.note()
      if let registry { cacheRegistry(registry) }
      if let due { announce(due) }
      if endsJournal { journaling.stop() }
      return answer
    }
  }

  /// Keeps a committed registry, unless a later version is known.
  private func cacheRegistry(_ registry: Registry) {
    withState { if $0.registry.version < registry.version { $0.registry = registry } }
  }
}
