import PCMCore
import Testing

@Suite struct RetryPolicyTests {
  private static let due = Instant(milliseconds: 1_800_000_000_000)

  private func next(_ policy: RetryPolicy, after attempt: Int, at now: Instant = due) -> Instant? {
    policy.nextAttempt(after: attempt, at: now, dueAt: Self.due, jitter: 0)
  }

  @Test(
    "Each delivery policy has a retry policy",
    arguments: [(DeliveryPolicy.webkit, RetryPolicy.atMostOnce), (.reliable, .untilAccepted)])
  func settings(_ policy: DeliveryPolicy, _ retries: RetryPolicy) {
    #expect(policy.retries == retries)
  }

  @Test func atMostOnceNeverRetries() {
    #expect(next(.atMostOnce, after: 1) == nil)
  }

  @Test(arguments: [(1, 1), (2, 2), (3, 4), (9, 256), (10, 360), (1_000_000, 360)] as [(Int, Int64)])
  func theDelayDoublesUpToSixHours(_ attempt: Int, _ minutes: Int64) {
    #expect(RetryPolicy.Backoff.standard.delay(after: attempt, jitter: 0) == .minutes(minutes))
    #expect(RetryPolicy.Backoff.standard.delay(after: attempt, jitter: 0.5) == Interval(milliseconds: minutes * 63_000))
  }

  @Test func untilAcceptedRetriesForThirtyDays() {
    #expect(next(.untilAccepted, after: 1) == Self.due + .minutes(1))
    let last = Self.due + .days(30) - .hours(6)
    #expect(next(.untilAccepted, after: 100, at: last) == Self.due + .days(30))
    #expect(next(.untilAccepted, after: 100, at: last + Interval(milliseconds: 1)) == nil)
    #expect(next(.untilAccepted, after: 999) != nil)
    #expect(next(.untilAccepted, after: 1_000) == nil)
  }

  @Test("The last of the tries is not retried", arguments: [(1, true), (8, true), (9, false), (10, false)])
  func tries(_ attempt: Int, _ isTriedAgain: Bool) {
    let policy = RetryPolicy(tries: 9, backoff: .standard)
    #expect((next(policy, after: attempt) != nil) == isTriedAgain)
  }

  @Test("A period begins at the due time and includes its last instant")
  func period() {
    let policy = RetryPolicy(
      tries: 9, period: .days(9), backoff: RetryPolicy.Backoff(first: .days(2), longest: .days(2)))
    #expect(next(policy, after: 1, at: Self.due + .days(7)) == Self.due + .days(9))
    #expect(next(policy, after: 1, at: Self.due + .days(7) + Interval(milliseconds: 1)) == nil)
  }
}
