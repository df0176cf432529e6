import Testing

@testable import PCMHTTP

/// The time limits and errors of a connection, without a connection.
@Suite struct ConnectionPaceTests {
  private static let limits = {
    var limits = ServerLimits()
    (limits.headTime, limits.bodyTime, limits.idleTime) = (.seconds(10), .seconds(30), .seconds(120))
    (limits.openingTime, limits.targetBytes) = (.seconds(8), 100)
    return limits
  }()

  private var pace = ConnectionPace(limits: limits, at: .zero)

  private mutating func readHead(at now: Duration, target: Int = 1) -> ConnectionPace.Action {
    pace.bytesArrived(line: 20, endsLine: true, at: now)
    return pace.headArrived(targetBytes: target, at: now)
  }

  @Test mutating func aSilentConnectionIsClosedWithoutAResponse() {
    #expect(pace.timePassed(at: .seconds(7)) == .none)
    #expect(pace.timePassed(at: .seconds(8)) == .close)
    #expect(pace.isOver)
  }

  @Test mutating func noByteOfAHeadGivesMoreTime() {
    for second in 1...10 { pace.bytesArrived(line: 1, endsLine: false, at: .seconds(second)) }
    #expect(pace.timePassed(at: .milliseconds(10_999)) == .none)
    #expect(pace.timePassed(at: .seconds(11)) == .reject(.tooSlow("the head", limit: .seconds(10))))
  }

  @Test mutating func aBodyHasATimeOfItsOwn() {
    #expect(readHead(at: .seconds(5)) == .none)
    #expect(pace.deadline == .seconds(35))
    #expect(pace.timePassed(at: .seconds(35)) == .reject(.tooSlow("the body", limit: .seconds(30))))
  }

  @Test mutating func anAnswerMayTakeAsLongAsItLikes() {
    #expect(readHead(at: .seconds(5)) == .none)
    pace.requestEnded(at: .seconds(6))
    #expect(pace.deadline == nil)
    pace.responseBegan()
    #expect(pace.timePassed(at: .seconds(100_000)) == .none)
    #expect(pace.responseEnded(at: .seconds(100_000)) == .none)
    #expect(pace.deadline == .seconds(100_120))
    #expect(pace.timePassed(at: .seconds(100_120)) == .close)
  }

  @Test mutating func aCallerThatAcceptsNoOutputIsAbandoned() {
    #expect(readHead(at: .zero) == .none)
    pace.requestEnded(at: .zero)
    pace.responseBegan()
    pace.outputBlocked(at: .seconds(100))
    pace.outputProgressed(at: .seconds(120))
    #expect(pace.timePassed(at: .seconds(149)) == .none)
    #expect(pace.timePassed(at: .seconds(150)) == .abandon)
    #expect(pace.isOver && pace.deadline == nil)
  }

  @Test mutating func outputThatNeedNotWaitHasNoLimit() {
    #expect(readHead(at: .zero) == .none)
    pace.requestEnded(at: .zero)
    pace.outputProgressed(at: .seconds(1))
    #expect(pace.deadline == nil)
    pace.outputBlocked(at: .seconds(2))
    pace.outputBlocked(at: .seconds(20))
    #expect(pace.deadline == .seconds(32), "being blocked again gives no more time")
    pace.outputUnblocked()
    #expect(pace.timePassed(at: .seconds(1_000)) == .none)
  }

  @Test mutating func aTargetThatIsTooLongIsRefused() {
    #expect(readHead(at: .zero, target: 101) == .reject(.targetTooLong(limit: 100)))
    #expect(!pace.takesRequests)
  }

  @Test mutating func whatOverflowsIsTheTargetOrTheFields() {
    var other = pace
    pace.bytesArrived(line: 60, endsLine: false, at: .zero)
    pace.bytesArrived(line: 60, endsLine: false, at: .zero)
    #expect(pace.headOverflowed() == .reject(.targetTooLong(limit: 100)))
    other.bytesArrived(line: 30, endsLine: true, at: .zero)
    other.bytesArrived(line: 500, endsLine: true, at: .zero)
    #expect(other.headOverflowed() == .reject(.headTooLarge(Self.limits)))
  }

  @Test mutating func earlierRequestsAreAnsweredBeforeARefusal() {
    #expect(readHead(at: .zero) == .none)
    pace.requestEnded(at: .zero)
    #expect(pace.fail(.malformed("x")) == .none)
    #expect(!pace.takesRequests)
    pace.responseBegan()
    #expect(pace.responseEnded(at: .zero) == .reject(.malformed("x")))
  }

  @Test mutating func aCallerReceives100OnceAndAfterTheEarlierResponses() {
    #expect(readHead(at: .zero) == .none)
    pace.requestEnded(at: .zero)
    #expect(pace.headArrived(targetBytes: 1, awaitsContinue: true, at: .zero) == .none)
    #expect(pace.takeContinue() == false)
    pace.responseBegan()
    #expect(pace.responseEnded(at: .zero) == .none)
    #expect(pace.takeContinue() == true)
    #expect(pace.takeContinue() == false)
  }

  @Test mutating func aBodyOrAResponseMakes100Needless() {
    var other = pace
    #expect(pace.headArrived(targetBytes: 1, awaitsContinue: true, at: .zero) == .none)
    pace.bodyArrived()
    #expect(pace.takeContinue() == false)

    _ = other.headArrived(targetBytes: 1, awaitsContinue: true, at: .zero)
    other.responseBegan()
    #expect(other.takeContinue() == false)
  }

  @Test mutating func aBodyThatBreaksOffIsRefusedUnlessItsAnswerHasBegun() {
    var other = pace
    #expect(readHead(at: .zero) == .none)
    #expect(pace.fail(.malformed("x")) == .reject(.malformed("x")))

    _ = other.headArrived(targetBytes: 1, at: .zero)
    other.responseBegan()
    #expect(other.fail(.malformed("x")) == .none)
    #expect(other.responseEnded(at: .zero) == .close, "it has its answer")
  }

  @Test mutating func aRefusalIsSaidOnce() {
    #expect(pace.fail(.malformed("x")) == .reject(.malformed("x")))
    #expect(pace.fail(.malformed("y")) == .none)
    #expect(pace.timePassed(at: .seconds(1_000)) == .none)
  }
}
