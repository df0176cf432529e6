#if os(macOS) || os(Linux)
  import Foundation

  extension PCM {
    /// Starts `pcm-browser serve` for a test, on a port that the kernel chooses and with an empty folder, and returns when it
    /// listens: `let pcm = try await PCM.start()`, then `PCM.browser("checkout", on: pcm.service)`.
    ///
    /// - Parameter arguments: Further options of `serve`, such as `--connect-to`.
    /// - Throws: `ServiceError` when there is no program, or when the service ends before it listens.
    public static func start(_ arguments: [String] = []) async throws -> LocalService {
      try await LocalService(arguments, environment: ProcessInfo.processInfo.environment)
    }
  }

  /// A service that a test started. It stops with `stop()`, with the last reference to this object, and with the process of the test.
  ///
  /// ```swift
  /// let pcm = try await PCM.start(["--max-browsers", "10"])
  /// let browser = try await PCM.browser("checkout", network: .simulated, on: pcm.service)
  /// #expect(try await browser.clicks().isEmpty)
  /// pcm.stop()
  /// ```
  public final class LocalService: Sendable {
    /// The location of the service.
    public let service: PCMService
    private let process: Process
    /// The service stops when this pipe closes, also when the process of the test is killed.
    private let lifeline: FileHandle
    private let folder: URL

    /// A process beside the service waits for the end of the input, and then ends the service.
    private static let script = #"exec 3<&0; (exec >&- 2>&-; read -r line <&3; kill $$) & exec "$0" "$@" </dev/null 3<&-"#

    init(_ arguments: [String], environment: [String: String]) async throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("pcm-browser-\(UUID().uuidString)")
      let log = folder.appendingPathComponent("log")
      let program = try Self.program(environment)
      let command = ["serve", "--port", "0", "--data", folder.appendingPathComponent("data").path] + arguments
      let (input, output) = (Pipe(), Pipe())
      process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", Self.script, program] + command
      (process.standardInput, process.standardOutput) = (input, output)
      lifeline = input.fileHandleForWriting
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data().write(to: log)
      process.standardError = try FileHandle(forWritingTo: log)
      try process.run()
      let line = await output.fileHandleForReading.firstLine()
      guard let url = line.split(separator: " ").last(where: { $0.hasPrefix("http://") }) else {
        let reason = try? String(contentsOf: log, encoding: .utf8)
        Self.end(process, lifeline, folder)
        throw ServiceError(
          status: nil, code: "not-started", title: "did not start", detail: reason ?? line,
          request: ([program] + command).joined(separator: " "))
      }
      service = PCMService(url: String(url), token: PCMService(environment: environment).token)
    }

    deinit { stop() }

    /// Stops the service and removes its data.
    public func stop() { Self.end(process, lifeline, folder) }

    private static func end(_ process: Process, _ lifeline: FileHandle, _ folder: URL) {
      try? lifeline.close()
      process.waitUntilExit()
      try? FileManager.default.removeItem(at: folder)
    }

    /// `PCM_BROWSER_BINARY`, or `pcm-browser` on the `PATH`.
    private static func program(_ environment: [String: String]) throws -> String {
      if let binary = environment["PCM_BROWSER_BINARY"], !binary.isEmpty { return binary }
      let candidates = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/pcm-browser" }
      if let program = candidates.first(where: FileManager.default.isExecutableFile) { return program }
      throw ServiceError(
        status: nil, code: "not-started", title: "did not start",
        detail: "install it, or set PCM_BROWSER_BINARY to its path",
        request: "pcm-browser serve")
    }
  }

  extension FileHandle {
    /// Returns the first line, or the whole file if it has none.
    fileprivate func firstLine() async -> String {
      let (pieces, arrival) = AsyncStream.makeStream(of: Data.self)
      readabilityHandler = { handle in
        let piece = handle.availableData
        if piece.isEmpty { arrival.finish() } else { arrival.yield(piece) }
      }
      defer { readabilityHandler = nil }
      var line = ""
      for await piece in pieces {
        line += String(decoding: piece, as: UTF8.self)
        if line.contains("\n") { break }
      }
      return String(line.prefix { $0 != "\n" })
    }
  }
#endif
