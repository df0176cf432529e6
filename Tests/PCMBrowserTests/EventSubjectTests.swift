import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore
import Testing

/// Whether an event is about a subject, as waiting calls and the live log ask.
@Suite struct EventSubjectTests {
  @Test(
    "an event is found by a name that JSON escapes, and not by another",
    arguments: ["a\"b", "a\\b", "a\nb", "a\u{1}b", "a/b", "é 🎯", ""])
  func escapedNames(_ name: String) throws {
    let registered = AppRegistered(bundleIdentifier: name, reportEndpoint: nil, findings: [])
    let event = LogEvent(sequence: 1, at: Scene.start, registered)
    #expect(try EventSelection(about: [name, "other"]).contains(event))
    #expect(try !EventSelection(about: [name + "x", "other"]).contains(event))
  }
}
