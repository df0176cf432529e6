// Earlier versions of Swift Testing do not say which issues are failures.
#if canImport(Testing) && compiler(>=6.3)
  import PCMClient
  public import Testing

  /// Leaves a trace of each browser that a failed test created: an attachment, and a file in the folder `pcm-traces`.
  ///
  /// ```swift
  /// @Suite(.traces) struct AdTests {
  ///   @Test func anAdIsReported() async throws {
  ///     let browser = try await PCM.browser("an ad", network: .simulated)
  ///     #expect(try await browser.clicks().isEmpty)
  ///   }
  /// }
  /// ```
  public struct TraceTrait: TestTrait, SuiteTrait, TestScoping {
    private enum Entry: Sendable {
      case browser(Browser)
      case failure
    }

    /// Whether the tests of a suite have the trait, too.
    public var isRecursive: Bool { true }

    /// Returns the trait for each case of a test, and nil for a suite.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> TraceTrait? { testCase.map { _ in self } }

    /// Runs a test, and writes the traces of its browsers if it fails.
    @concurrent public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      let (entries, entry) = AsyncStream.makeStream(of: Entry.self)
      let handling = IssueHandlingTrait.compactMapIssues { issue in
        if issue.isFailure { entry.yield(.failure) }
        return issue
      }
      let collect: @Sendable (Browser) -> Void = { entry.yield(.browser($0)) }
      let result: Result<Void, any Error>
      do {
        try await Browser.$created.withValue(collect) {
          try await handling.provideScope(for: test, testCase: testCase, performing: function)
        }
        result = .success(())
      } catch {
        entry.yield(.failure)
        result = .failure(error)
      }
      entry.finish()
      await Self.leaveTraces(entries)
      try result.get()
    }

    private static func leaveTraces(_ entries: AsyncStream<Entry>) async {
      var (browsers, isFailed) = ([Browser](), false)
      for await entry in entries {
        switch entry {
        case .browser(let browser): browsers.append(browser)
        case .failure: isFailed = true
        }
      }
      for browser in isFailed ? browsers : [] {
        guard let trace = await TraceFile(of: browser) else { continue }
        Attachment.record(trace.text, named: trace.name)
        trace.write()
      }
    }
  }

  extension Trait where Self == TraceTrait {
    /// Leaves a trace of each browser that a failed test created.
    public static var traces: Self { TraceTrait() }
  }
#endif
