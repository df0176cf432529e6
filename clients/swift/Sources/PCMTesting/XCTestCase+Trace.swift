#if canImport(XCTest)
  import Foundation
  public import PCMClient
  public import XCTest

  extension XCTestCase {
    /// Leaves a trace of a browser when the test fails: an attachment in Xcode, and elsewhere a file in the folder `pcm-traces`.
    ///
    /// Call it when the test has created the browser: `traceOnFailure(browser)`.
    public func traceOnFailure(_ browser: Browser) {
      // The block runs at the end of this test, before the framework releases it.
      nonisolated(unsafe) let test = self
      addTeardownBlock {
        guard let run = test.testRun, run.totalFailureCount > 0, let trace = await TraceFile(of: browser) else { return }
        #if canImport(Darwin)
          let attachment = XCTAttachment(data: Data(trace.text.utf8), uniformTypeIdentifier: "public.html")
          (attachment.name, attachment.lifetime) = (trace.name, .keepAlways)
          test.add(attachment)
        #else
          trace.write()
        #endif
      }
    }
  }
#endif
