import PCMCore
import PCMDelivery
import PCMStore
import PCMTokens

extension Report {
  /// The sites whose keys signed the report's tokens, each with the name of its key, the source's first.
  var signers: [(site: Site, keyID: String)] {
    [(key.source, sourceKeyID), (key.destination, destinationKeyID)].compactMap { site, keyID in keyID.map { (site, $0) } }
  }

  /// The event of the report's next attempt.
  func departure(_ trace: RuleTrace?) -> BrowserEvent {
    .reportSent(
      ReportSent(
        report: id, recipient: recipient, url: url, attempt: Int64(attempts.count + 1),
        decision: trace.map { RecordedDecision($0) }))
  }

  /// The event of the requests for the keys, which come before the report.
  func keyCheck(_ trace: RuleTrace?) -> BrowserEvent {
    .tokenRequested(
      .reportKeys(
        report: id, recipient: recipient, urls: signers.map { TokenExchange.keyURL(at: $0.site) },
        decision: trace.map { RecordedDecision($0) }))
  }
}

extension Browser {
  /// Asks each site for the key that signed its token, before a report shows that token (reference, section 8.4). WebKit
  /// asks the source's site for both; each on its own is what was meant.
  ///
  /// - Returns: why the report must not leave; nil when it may.
  func keyProblem(of report: Report) async -> TransportFailure? {
    for signer in report.signers {
      do throws(TokenFailure) {
        let key = try await fetchKey(at: signer.site)
        guard key.id.text == signer.keyID else {
          return TransportFailure(
            .tokenKeyChanged, "\(signer.site.domain) serves another token key than the one that signed the report's token")
        }
      } catch {
        let isInvalid = if case .keyInvalid = error { true } else { false }
        return TransportFailure(isInvalid ? .tokenKeyInvalid : .tokenKeyUnavailable, error.reason.detail)
      }
    }
    return nil
  }

  /// Notes that a report with tokens leaves now. False when it was cleared while the keys were asked for.
  func noteDeparture(of report: Report) async throws -> (leaves: Bool, due: Due) {
    let (now, wallAt) = (now, world.wallClock())
    do {
      return try await commit { writer in
        let leaves = try writer.report(report.id)?.state == .sending
        if leaves { try writer.append(report.departure(nil), at: now) }
        return (leaves, try writer.due())
      }
    } catch {
      // Nothing has left; without a result the report would be under way until a restart.
      let failure = TransportFailure(.interrupted, "the store did not take note that the report was about to leave")
      unsavedAttempt = (report.id, Attempt(at: now, wallAt: wallAt, exchange: Exchange(failure: failure)))
      throw error
    }
  }
}
