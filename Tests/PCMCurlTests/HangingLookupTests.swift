#if canImport(Glibc)
  import PCMCore
  import PCMCurl
  import PCMNetwork
  import TLSSupport
  import Testing

  /// A name server that does not answer holds up a lookup for ten seconds and more, and nothing can call it back.
  @Suite("Hanging name lookups", .timeLimit(.minutes(5)))
  struct HangingLookupTests {
    @Test("Closing does not wait for a lookup")
    func closing() async throws {
      try await Stage.run { stage in
        let lookup = HangingLookup("closing.hanging.test")
        let transport = try CurlTransport()
        async let exchange = transport.send(stage.report(host: lookup.name), route: stage.route())
        await lookup.hasBegun()
        await transport.close()
        #expect(lookup.isHanging)
        lookup.release()
        #expect(await exchange.failure?.code == .transportClosed)
      }
    }

    @Test("A canceled task returns immediately, and others continue")
    func canceling() async throws {
      try await Stage.run { stage in
        let lookup = HangingLookup("canceling.hanging.test")
        let route = stage.route()
        let task = Task { await stage.transport.send(stage.report(host: lookup.name), route: route) }
        await lookup.hasBegun()
        #expect(await stage.transport.send(stage.report(), route: route).httpStatus == 200)
        task.cancel()
        #expect(await task.value.failure == TransportFailure(.transportClosed, "the send was canceled"))
        #expect(lookup.isHanging)
        // Its place can be taken while the lookup goes on.
        #expect(await stage.transport.send(stage.report(), route: route).httpStatus == 200)
        lookup.release()
      }
    }

    @Test("A hanging lookup reaches the connect timeout")
    func timeout() async throws {
      try await Stage.run { stage in
        let lookup = HangingLookup("timeout.hanging.test")
        let exchange = await stage.transport.send(
          stage.report(host: lookup.name), route: stage.route { $0.connectTimeout = Interval(milliseconds: 100) })
        #expect(exchange.failure?.code == .timedOut)
        await lookup.hasBegun()
        #expect(lookup.isHanging)
        lookup.release()
      }
    }
  }
#endif
