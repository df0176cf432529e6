import CProcess
import Foundation
import PCMCore

/// An installed Chromium or Chrome, which observes nothing itself: its pages are observed through its DevTools.
enum Chromium {
  private static let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
  private static let applications = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium",
  ]

  /// Returns the path of an installed browser: at `PCM_CHROMIUM`, in the folders of `PATH`, or an application of macOS. Returns nil
  /// when there is none.
  ///
  /// - Throws: ``StartError`` for a `PCM_CHROMIUM` that is not an executable file.
  static func find(
    in variables: [String: String] = Environment.variables, applications: [String] = applications
  ) throws(StartError) -> String? {
    let folders = (variables["PATH"] ?? "").split(separator: ":")
    func installed(_ name: String) -> String? {
      let paths = name.contains("/") ? [name] : folders.map { "\($0)/\(name)" }
      return paths.first { FileManager.default.isExecutableFile(atPath: $0) && !FolderFiles.isFolder($0) }
    }
    if let name = variables["PCM_CHROMIUM"], !name.isEmpty {
      guard let path = installed(name) else {
        throw StartError(description: "PCM_CHROMIUM \"\(name.visible)\" is not an executable file; name Chromium or Chrome")
      }
      return path
    }
    return (names + applications).lazy.compactMap(installed).first
  }

  /// Starts a browser, performs work with it, and ends it.
  ///
  /// The browser also ends when this process is killed.
  ///
  /// - Parameters:
  ///   - arguments: Further switches, and the URLs to open.
  ///   - folder: The folder for the profile, which exists. Its content stays.
  ///   - body: Receives the address of the browser's DevTools, such as `http://127.0.0.1:40123`.
  /// - Throws: ``StartError`` for a browser that does not start, with the last lines of its output.
  static func withRunning<Value>(
    _ executable: String, arguments: [String], isHeadless: Bool, folder: String,
    _ body: (_ devtools: String) async throws -> Value
  ) async throws -> Value {
    let portFile = folder + "/DevToolsActivePort"
    // An earlier run with this profile leaves its own.
    unlink(portFile)
    let words = [executable] + switches(profile: folder, isHeadless: isHeadless) + arguments
    let process = try ProcessGroup(words: words, log: folder + "/output.log")
    let result = await Result { try await body(try await devtools(of: process, portFile: portFile, isHeadless: isHeadless)) }
    await process.end()
    return try result.get()
  }

  /// The switches that every driver of Chromium needs. The second switch for DevTools ends the browser with this process.
  static func switches(profile: String, isHeadless: Bool) -> [String] {
    [
      "--user-data-dir=\(profile)", "--remote-debugging-port=0", "--remote-debugging-pipe", "--no-first-run",
      "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
    ]
      + (isHeadless ? ["--headless"] : []) + sandboxSwitches()
  }

  /// As root, Chromium refuses to start with its sandbox.
  static func sandboxSwitches(isRoot: Bool = geteuid() == 0) -> [String] { isRoot ? ["--no-sandbox"] : [] }

  /// Whether a window can open. On macOS, that needs no variable.
  static func hasDisplay(in environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
    #if os(Linux)
      ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    #else
      true
    #endif
  }

  /// Waits until the browser listens, which takes less than a second on an idle machine.
  private static func devtools(of process: ProcessGroup, portFile: String, isHeadless: Bool) async throws -> String {
    let uptime = SystemTime.uptime()
    while uptime() < .seconds(20) {
      let lines = (FileManager.default.contents(atPath: portFile) ?? Data()).split(separator: UInt8(ascii: "\n"))
      // The second line is the path of the WebSocket.
      if lines.count == 2, let port = Int(String(decoding: lines[0], as: UTF8.self)) { return "http://127.0.0.1:\(port)" }
      guard !process.hasEnded else {
        let advice = isHeadless || hasDisplay() ? "" : ", and there is no display; add --headless"
        throw StartError(description: "\(process.name) ended before its DevTools were ready\(advice)\(process.lastLines)")
      }
      try await SystemTime.sleep(for: Interval(milliseconds: 20))
    }
    throw StartError(description: "the DevTools of \(process.name) were not ready within 20 s\(process.lastLines)")
  }
}
