import PCMCore
import PCMNetwork
import ServiceSupport
import Testing

/// Each fault as a browser's transport sees it, and as a client does that speaks HTTP/1.1.
@Suite(.timeLimit(.minutes(10))) struct ReceiveFaultTests {
  @Test func statusesAndRedirectsAreAnswersThatProcessNothing() async throws {
    try await ReceiveStage.run { stage async throws in
      try await stage.order(
        #"{"on":"report","fault":"status","status":507,"times":1},{"on":"report","fault":"redirect","status":307,"location":"https://x.example/","times":1}"#
      )
      #expect(await stage.report().httpStatus == 507)
      let redirect = await stage.report()
      #expect(redirect.httpStatus == 307)
      #expect(redirect.location == "https://x.example/")
      #expect(await stage.report().httpStatus == 200)
      #expect(try await stage.entries().map(\.verdict) == ["not-processed", "not-processed", "accepted"])
      #expect(try await stage.entries().map(\.fault) == ["status", "redirect", nil])
    }
  }

  @Test(arguments: [("reset-before-body", "not-processed"), ("reset-after-body", "accepted")])
  func aResetLosesTheConnection(_ fault: String, _ verdict: String) async throws {
    try await ReceiveStage.run { stage async throws in
      try await stage.order(#"{"on":"report","fault":"\#(fault)","times":1}"#)
      let exchange = await stage.report()
      #expect(exchange.failure?.code == .connectionLost)
      #expect(exchange.httpStatus == nil)
      #expect(try await stage.entries().map(\.verdict) == [verdict])
      try await stage.order(#"{"on":"key","fault":"\#(fault)","times":1}"#)
      await #expect(throws: (any Error).self) { () async throws in
        _ = try await stage.call("GET", ReceiveStage.folder + "get-token-public-key/")
      }
      #expect(await stage.report().httpStatus == 200)
    }
  }

  @Test func aStreamResetLeavesTheStatusAndTheBody() async throws {
    try await ReceiveStage.run { stage async throws in
      try await stage.order(#"{"on":"report","fault":"stream-reset"}"#)
      let exchange = await stage.report()
      #expect(exchange.httpStatus == 200)
      #expect(exchange.failure != nil)
      #expect(exchange.body == Array("{}".utf8))
      await #expect(throws: (any Error).self) { () async throws in
        _ = try await stage.call("POST", ReceiveStage.folder + "report-attribution/", Stage.body)
      }
      #expect(try await stage.entries().map(\.verdict) == ["accepted", "accepted"])
    }
  }

  @Test func aSlowAnswerComesWhole() async throws {
    try await ReceiveStage.run { stage async throws in
      try await stage.order(
        #"{"on":"report","fault":"delay","milliseconds":1,"times":1},{"on":"report","fault":"trickle","milliseconds":1}"#)
      for _ in 0..<2 {
        let exchange = await stage.report()
        #expect(exchange.httpStatus == 200)
        #expect(exchange.failure == nil)
        #expect(exchange.body == Array("{}".utf8))
      }
    }
  }

  @Test func anAnswerBehindTheTimeoutIsNoneButTheReportArrived() async throws {
    try await ReceiveStage.run { stage async throws in
      try await stage.order(#"{"on":"report","fault":"delay","milliseconds":5000,"times":1}"#)
      let exchange = await stage.report(timeout: Interval(milliseconds: 1_000))
      #expect(exchange.failure?.code == .timedOut)
      #expect(exchange.httpStatus == nil)
      #expect(try await stage.entries().map(\.verdict) == ["accepted"])
    }
  }

  @Test("a shutdown ends a delay, and the response arrives", arguments: [true, false])
  func shutdown(ofHTTP2: Bool) async throws {
    try await ReceiveStage.run { stage async throws in
      try await stage.order(#"{"on":"report","fault":"delay","milliseconds":600000}"#)
      let status = Task<Int?, any Error> {
        guard ofHTTP2 else {
          return try await stage.call("POST", ReceiveStage.folder + "report-attribution/", Stage.body).status
        }
        return await stage.report(timeout: .minutes(10)).httpStatus
      }
      while try await stage.entries().isEmpty { await Task.yield() }
      stage.process.terminate()
      #expect(try await status.value == 200)
      #expect(await stage.process.status() == 0)
    }
  }
}
