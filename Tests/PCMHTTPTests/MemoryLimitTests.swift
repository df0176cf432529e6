import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOConcurrencyHelpers
import Testing

@testable import PCMHTTP

/// Calls to a service whose process uses too much memory.
@Suite struct MemoryLimitTests {
  private let resident = NIOLockedValueBox(1_001)

  private func limit() -> MemoryLimit { MemoryLimit(1_000) { [resident] in resident.withLockedValue { $0 } } }

  @Test func onlyCallsThatAddDataFail() async throws {
    let router = try await API.router(memory: limit())
    try await Application(router: router).test(.router) { client async throws in
      let api = API(client: client)
      for (method, path) in Story.everyCall {
        let adds = [.post, .put].contains(method) && !path.hasSuffix("/expectations")
        let answer = try await api.call(method, path)
        #expect((answer.status == 503) == adds, "\(method) \(path): \(answer.text)")
        guard adds else { continue }
        #expect(try answer.member("code") == "memory-full")
        #expect(try answer.member("retryable") == true)
        #expect(try answer.member("detail", as: String.self).contains("--max-memory"))
        #expect(answer.headers[.retryAfter] == "15")
      }
    }
  }

  @Test func callsSucceedAgainWhenMemoryIsFree() async throws {
    let router = try await API.router(memory: limit())
    try await Application(router: router).test(.router) { [resident] client async throws in
      let api = API(client: client)
      #expect(try await api.call(.post, "/v1/browsers").status == 503)
      resident.withLockedValue { $0 = 1_000 }
      #expect(try await api.call(.post, "/v1/browsers").status == 201)
    }
  }

  @Test func briefCallsReadTheMemoryOnceInAWhile() throws {
    let readings = NIOLockedValueBox(0)
    let limit = MemoryLimit(1_000) { [resident] in
      readings.withLockedValue { $0 += 1 }
      return resident.withLockedValue { $0 }
    }
    resident.withLockedValue { $0 = 0 }
    for _ in 0..<(10 * MemoryLimit.briefCallsPerReading) { try limit.check(isBrief: true) }
    #expect(readings.withLockedValue { $0 } == 10)
    for _ in 0..<3 { try limit.check(isBrief: false) }
    #expect(readings.withLockedValue { $0 } == 13)

    resident.withLockedValue { $0 = 1_001 }
    let admitted = (0..<MemoryLimit.briefCallsPerReading).filter { _ in (try? limit.check(isBrief: true)) != nil }
    #expect(admitted.count < MemoryLimit.briefCallsPerReading)
    // While the limit is exceeded, each call reads, so that none waits for the others' readings.
    for _ in 0..<3 { #expect(throws: Problem.self) { try limit.check(isBrief: true) } }
    resident.withLockedValue { $0 = 1_000 }
    try limit.check(isBrief: true)
  }
}
