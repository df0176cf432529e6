import PCMClient
import PCMTesting
import Testing
import XCTest

/// Tests that fail, for `scripts/test-swift-client`, which looks for their traces.
@Suite(.traces) struct FailingTests {
  @Test func expectation() async throws {
    _ = try await PCM.browser("an expectation", network: .simulated)
    #expect(Bool(false))
  }

  @Test func thrown() async throws {
    let browser = try await PCM.browser("thrown", network: .simulated)
    try await browser.expectReport(to: .source)
  }

  @Test func passed() async throws {
    _ = try await PCM.browser("passed", network: .simulated)
  }

  @Test func deleted() async throws {
    let browser = try await PCM.browser("deleted", network: .simulated)
    try await browser.delete()
    Issue.record("The browser has no trace.")
  }
}

final class FailingTestCase: XCTestCase {
  func testFails() async throws {
    let browser = try await PCM.browser("an xctest", network: .simulated)
    traceOnFailure(browser)
    XCTFail("The browser has a trace.")
  }

  func testPasses() async throws {
    traceOnFailure(try await PCM.browser("passed too", network: .simulated))
  }
}
