/// A submitted transaction. Its place in the order of transactions is fixed; its answer arrives with the commit.
///
/// The caller must wait for the answer: some stores complete their records of a transaction then.
package struct PendingWrite<Answer: Sendable>: Sendable {
  @usableFromInline enum Progress: Sendable {
    case settled(Result<Answer, any Error>)
    case waiting(@Sendable () async throws -> Answer)
  }

  @usableFromInline let progress: Progress

  /// Creates a write that has been committed, or has failed.
  @inlinable package init(_ result: Result<Answer, any Error>) {
    progress = .settled(result)
  }

  /// - Parameter wait: Returns the answer after the commit.
  @inlinable package init(wait: @escaping @Sendable () async throws -> Answer) {
    progress = .waiting(wait)
  }

  /// Returns after the commit.
  @inlinable package func answer() async throws -> Answer {
    switch progress {
    case .settled(let result): try result.get()
    case .waiting(let wait): try await wait()
    }
  }

  /// Returns a write that transforms the answer once, after the commit.
  ///
  /// A settled write, such as every write of a store in memory, does so immediately.
  @inlinable
  package func map<NewAnswer>(_ transform: @escaping @Sendable (Answer) throws -> NewAnswer) -> PendingWrite<NewAnswer> {
    switch progress {
    case .settled(.success(let answer)): PendingWrite<NewAnswer>(Result { try transform(answer) })
    case .settled(.failure(let error)): PendingWrite<NewAnswer>(.failure(error))
    case .waiting(let wait): PendingWrite<NewAnswer> { try transform(try await wait()) }
    }
  }
}
