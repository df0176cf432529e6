import Foundation
import ServiceSupport
import Testing

@testable import PCMApp

/// Scripts stand in for the browser.
@Suite struct ChromiumTests {
  /// Creates an executable script and returns its path.
  ///
  /// A separate program writes it: a process that another test starts meanwhile would inherit an open descriptor of the file, and a
  /// file that is open for writing cannot be executed (`ETXTBSY`).
  private func script(_ text: String, named name: String = "chromium", in folder: TemporaryFolder) throws -> String {
    let path = "\(folder.path)/\(name)"
    try "#!/bin/sh\n\(text)\n".write(toFile: path + ".sh", atomically: false, encoding: .utf8)
    try #require(system("install -m 700 '\(path).sh' '\(path)'") == 0)
    return path
  }

  private func run(
    _ executable: String, in folder: TemporaryFolder, isHeadless: Bool = true, _ body: (String) async throws -> Void = { _ in }
  ) async throws {
    try await Chromium.withRunning(
      executable, arguments: ["about:blank"], isHeadless: isHeadless, folder: folder.path, body)
  }

  @Test func theBodyReceivesThePortAndTheBrowserEndsAfterIt() async throws {
    let folder = try TemporaryFolder()
    // It ends with its lifeline, as Chromium does.
    let executable = try script(
      """
      cd '\(folder.path)'
      printf '%s\\n' "$@" >arguments
      printf '40123\\n/devtools/browser/1' >DevToolsActivePort
      cat <&3
      echo ended >end
      """, in: folder)
    try "9222\n/devtools/browser/0".write(
      toFile: folder.path + "/DevToolsActivePort", atomically: false, encoding: .utf8)
    try await run(executable, in: folder) { #expect($0 == "http://127.0.0.1:40123") }
    #expect(try String(contentsOfFile: folder.path + "/end", encoding: .utf8) == "ended\n")
    let arguments = try String(contentsOfFile: folder.path + "/arguments", encoding: .utf8)
    #expect(arguments.hasPrefix("--user-data-dir=\(folder.path)\n"))
    #expect(arguments.hasSuffix("\nabout:blank\n"))
  }

  @Test func aBrowserThatEndsEarlyIsAnErrorWithItsLastLines() async throws {
    let folder = try TemporaryFolder()
    let executable = try script("for i in 1 2 3 4 5 6; do echo line $i >&2; done; exit 3", in: folder)
    let failure = try await #require(throws: StartError.self) { try await run(executable, in: folder) }
    #expect(
      failure.description.hasPrefix("\(executable) ended before its DevTools were ready. Its output ends with:\n  line 2\n"))
    #expect(failure.description.hasSuffix("\n  line 6"))
  }

  @Test func aWindowWithoutADisplayIsAnErrorWithAdvice() async throws {
    #expect(Chromium.hasDisplay(in: ["WAYLAND_DISPLAY": "wayland-0"]))
    #expect(!Chromium.hasDisplay(in: ["DISPLAY": ""]))
    guard !Chromium.hasDisplay() else { return }
    let folder = try TemporaryFolder()
    let executable = try script("echo 'Missing X server' >&2; exit 1", in: folder)
    let failure = try await #require(throws: StartError.self) { try await run(executable, in: folder, isHeadless: false) }
    #expect(
      failure.description == """
        \(executable) ended before its DevTools were ready, and there is no display; add --headless. Its output ends with:
          Missing X server
        """)
  }

  @Test func aProgramThatCannotBeStartedIsAnError() async throws {
    let folder = try TemporaryFolder()
    let failure = try await #require(throws: StartError.self) { try await run(folder.path + "/missing", in: folder) }
    #expect(failure.description == "command not found: \(folder.path)/missing")
  }

  @Test func onlyRootRunsWithoutASandbox() {
    #expect(Chromium.sandboxSwitches(isRoot: true) == ["--no-sandbox"])
    #expect(Chromium.sandboxSwitches(isRoot: false).isEmpty)
  }

  @Test func anInstalledBrowserIsFoundByItsName() throws {
    let folder = try TemporaryFolder()
    let path = ["PATH": "/missing:\(folder.path)"]
    #expect(try Chromium.find(in: path, applications: []) == nil)
    let chrome = try script("", named: "google-chrome", in: folder)
    #expect(try Chromium.find(in: ["PATH": ""], applications: [chrome]) == chrome)
    #expect(try Chromium.find(in: path, applications: []) == chrome)
    let other = try script("", named: "other", in: folder)
    for name in ["other", other] {
      #expect(try Chromium.find(in: path.merging(["PCM_CHROMIUM": name]) { $1 }, applications: []) == other)
    }
    let failure = try #require(throws: StartError.self) { try Chromium.find(in: ["PCM_CHROMIUM": folder.path]) }
    #expect(failure.description.contains("is not an executable file"))
  }
}
