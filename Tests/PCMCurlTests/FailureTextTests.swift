import Testing

@testable import PCMCurl

@Suite("What libcurl says of a failure")
struct FailureTextTests {
  @Test(
    "Its text goes into a sentence, so it ends without a period",
    arguments: [
      ("Could not resolve host: a.example", "Could not resolve host: a.example"), ("No more. Sorry.", "No more. Sorry"),
      ("getaddrinfo() thread failed to start\n", "getaddrinfo() thread failed to start"), ("", ""), ("...", ""),
    ])
  func clauses(_ text: String, _ clause: String) {
    #expect(EasyHandle.clause(text) == clause)
  }
}
