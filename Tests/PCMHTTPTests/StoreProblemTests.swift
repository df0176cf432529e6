import HTTPTypes
import PCMStore
import Testing

@testable import PCMHTTP

/// Errors of a store that a request cannot prevent.
@Suite struct StoreProblemTests {
  @Test("A caller learns whether a repetition is safe, and when", arguments: [StoreError.unavailable("refused"), .closed])
  func unavailable(_ error: StoreError) {
    let problem = Problem(error)
    #expect((problem.status, problem.code) == (.serviceUnavailable, "unavailable"))
    #expect(problem.detail == "the request was not completed: \(error); try again later")
    #expect(problem.isRetryable)
    #expect(problem.headers[.retryAfter] == "1")
  }

  @Test("An instance that is not ready says why")
  func notReady() {
    let problem = Problem(StoreError.notReady("the lease of this instance ended"))
    #expect((problem.status, problem.code) == (.serviceUnavailable, "unavailable"))
    #expect(problem.detail == "the lease of this instance ended")
    #expect(problem.headers[.retryAfter] == "1")
  }

  @Test("A request that may have taken effect is not to be repeated without a key")
  func unknownOutcome() {
    let problem = Problem(StoreError.unknownOutcome("the server closed the connection"))
    #expect((problem.status, problem.code) == (.serviceUnavailable, "outcome-unknown"))
    #expect(!problem.isRetryable)
    #expect(problem.headers[.retryAfter] == nil)
    #expect(problem.detail.contains("Idempotency-Key"))
  }
}
