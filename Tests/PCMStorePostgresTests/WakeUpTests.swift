import Testing

@testable import PCMStorePostgres

/// The pause of the thread that renews the lease.
@Suite(.timeLimit(.minutes(10))) struct WakeUpTests {
  @Test("A signal ends the next pause, once, however often it came, and without one the pause ends after its time")
  func signals() throws {
    let wakeUp = try WakeUp()
    wakeUp.wait(milliseconds: 1)
    for _ in 0..<100_000 { wakeUp.signal() }
    // Without an end of its time.
    wakeUp.wait(milliseconds: -1)
    wakeUp.wait(milliseconds: 1)
    wakeUp.signal()
    wakeUp.wait(milliseconds: -1)
  }
}
