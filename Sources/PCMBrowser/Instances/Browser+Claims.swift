import PCMCore
import PCMStore

/// The claims of moves and copies, which end when another instance takes over the browser.
extension Browser {
  /// Claims the browser, so that no other instance moves its clock or sends its reports. Without other instances, the locks suffice.
  func claimForCopy() async throws -> Claim {
    guard store.isShared else { return Claim() }
    return try await submit { [store] writer, _ in
      try writer.claim(for: store.instance)
      return try writer.state().claim
    }.answer()
  }

  /// Whether another instance has taken over the browser from a move that failed. The move may notice the end of its lease first.
  func isLost(_ claim: Claim, after error: any Error) async -> Bool {
    switch error {
    case BrowserError.clockMoving: return true
    case StoreError.unavailable:
      guard let instance = claim.instance, let current = try? await read({ try $0.state().claim }) else { return false }
      return current.instance != instance
    default: return false
    }
  }

  /// Releases the browser for other instances after a move or a copy, once the result of its last attempt is stored. A store that
  /// fails is tried again each second, because they wait.
  ///
  /// - Parameter failure: The error of the move or the copy.
  func release(_ claim: Claim, after failure: (any Error)? = nil) async {
    guard store.isShared, let instance = claim.instance, !Self.endsClaims(failure) else { return }
    do { try await endClaim(of: instance) } catch {
      guard !Self.endsClaims(error) else { return }
      // A detached task, because others inherit that they are a part of the call, which has the lock.
      Task.detached { [self] in
        while true {
          do {
            try await environment.pauseForOthers()
            return try await sending.excluding { try await lock.excluding { try await endClaim(of: instance) } }
          } catch {
            guard !Self.endsClaims(error), !(error is CancellationError) else { return }
          }
        }
      }
    }
  }

  /// Whether this instance has no claim of the browser after an error. A store that cannot read the outcome of a commit abandons the
  /// claims of its instance, and a message of that commit is then recovered.
  private static func endsClaims(_ error: (any Error)?) -> Bool {
    switch error as? StoreError {
    case .closed, .unknownBrowser, .unknownOutcome: true
    default: false
    }
  }

  private func endClaim(of instance: Int64) async throws {
    try await saveUnsavedAttempt()
    try await submit(waits: false) { writer, _ in
      var row = try writer.state()
      // Another instance may have taken over.
      guard row.claim.instance == instance else { return }
      row.claim.instance = nil
      try writer.save(row)
    }.answer()
  }
}

extension BrowserWriter {
  /// Claims the browser for an instance.
  ///
  /// - Throws: `BrowserError.clockMoving` when another instance has claimed it.
  func claim(for instance: Int64) throws {
    try requireUnclaimed(byOthersThan: instance)
    var row = try state()
    row.claim.instance = instance
    try save(row)
  }

  /// - Throws: `BrowserError.clockMoving` when the browser has another claim than after the last step of the move.
  func require(_ claim: Claim) throws {
    guard try state().claim == claim else { throw BrowserError.clockMoving }
  }

  /// Counts an attempt or a takeover, so that results of earlier attempts are late.
  func countAttempt() throws {
    var row = try state()
    row.claim.fence += 1
    try save(row)
  }
}
