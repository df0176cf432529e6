import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Subprocess
import SystemPackage

/// The built executable as a process.
package final class ServiceProcess: Sendable {
  /// The service did not start.
  package struct Failure: Error {
    package let what: String
  }

  /// An answer of the service.
  package struct Answer: Sendable {
    package let status: Int
    package let bytes: [UInt8]
    /// Whether an earlier request with the same key had this answer.
    package let isReplayed: Bool

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package func decoded<Body: Decodable>(as type: Body.Type = Body.self) throws -> Body {
      try JSONDecoder().decode(type, from: Data(bytes))
    }
  }

  /// Chosen by the kernel.
  package let port: Int
  /// The process's number.
  package let identifier: Int32
  private let ended: AsyncStream<Int32>

  /// Starts `serve` on a port that the kernel chooses and waits for the line that says that it listens.
  ///
  /// - Parameter log: a file for its standard error.
  package convenience init(data: String, _ arguments: String..., log: String = "/dev/null") async throws {
    try await self.init(data: data, arguments: arguments, log: log)
  }

  /// The same with arguments that are at hand as an array.
  ///
  /// - Parameter environment: Variables in addition to the tests'.
  package convenience init(
    data: String, arguments: [String], environment: [String: String] = [:], log: String = "/dev/null"
  ) async throws {
    try await self.init(
      running: ["serve", "--port", "0", "--data", data] + arguments,
      greeting: "pcm-browser is listening on http://127.0.0.1:", environment: environment, log: log)
  }

  /// Starts `receive` on a port that the kernel chooses.
  ///
  /// - Parameter environment: Variables in addition to the tests'.
  package convenience init(
    receiving arguments: [String], environment: [String: String] = [:], log: String = "/dev/null"
  ) async throws {
    try await self.init(
      running: ["receive", "--port", "0"] + arguments, greeting: "pcm-browser receive is listening on https://127.0.0.1:",
      environment: environment, log: log)
  }

  /// Starts a command and waits for its first line, in which the greeting stands before the port.
  ///
  /// - Parameter environment: Variables in addition to the tests'.
  package init(
    running arguments: [String], greeting: String, environment: [String: String] = [:], log: String = "/dev/null"
  ) async throws {
    let configuration = try Self.configuration(arguments, environment)
    let standardError = try FileDescriptor.open(
      log, .writeOnly, options: [.create, .append], permissions: [.ownerReadWrite])
    let (ended, end) = AsyncStream.makeStream(of: Int32.self)
    let (starts, started) = AsyncStream.makeStream(of: (Int32, String).self)
    self.ended = ended
    Task {
      defer {
        started.finish()
        end.finish()
      }
      let result = try await Subprocess.run(
        configuration, input: .none, output: .sequence,
        error: .fileDescriptor(standardError, closeAfterSpawningProcess: true)
      ) { process in
        let number = process.processIdentifier.value
        for try await line in process.standardOutput.strings() { started.yield((number, line)) }
        started.yield((number, ""))
      }
      end.yield(result.terminationStatus.number)
    }
    guard let (number, line) = await starts.first(where: { _ in true }) else {
      throw Failure(what: "the service did not start")
    }
    identifier = number
    guard line.hasPrefix(greeting), let port = Int(line.dropFirst(greeting.count).prefix { $0.isNumber }) else {
      throw Failure(what: "the service said \"\(line)\"")
    }
    self.port = port
  }

  /// Runs a command to its end.
  ///
  /// - Parameters:
  ///   - environment: Variables in addition to the tests'.
  ///   - limit: an option of `ulimit` with its value, such as `-n 16`.
  ///   - redirection: a redirection of the shell, such as `>/dev/full`.
  ///   - input: standard input.
  /// - Returns: the exit status, standard output, and standard error.
  package static func run(
    _ arguments: [String], environment: [String: String] = [:], limit: String? = nil, redirection: String? = nil,
    input: String = ""
  ) async throws -> (status: Int32, output: String, message: String) {
    let result = try await Subprocess.run(
      configuration(arguments, environment, limit: limit, redirection: redirection), input: .string(input),
      output: .string(limit: 64 << 20),
      error: .string(limit: 64 << 20))
    return (result.terminationStatus.number, result.standardOutput, result.standardError)
  }

  private static func configuration(
    _ arguments: [String], _ environment: [String: String], limit: String? = nil, redirection: String? = nil
  ) throws -> Configuration {
    let added = environment.map { (Environment.Key(stringLiteral: $0), Optional($1)) }
    let executable = try executable().path
    // A write beyond the limit on sizes is an error, and not a signal.
    let steps = [limit.map { "trap '' XFSZ; ulimit \($0)" }, redirection.map { "exec \($0)" }].compactMap { $0 }
    let inShell = steps.isEmpty ? nil : ["-c", "\(steps.joined(separator: "; ")); exec \"$0\" \"$@\"", executable] + arguments
    return Configuration(
      executable: .path(FilePath(inShell == nil ? executable : "/bin/sh")), arguments: Arguments(inShell ?? arguments),
      environment: .inherit.updating(Dictionary(uniqueKeysWithValues: added)))
  }

  /// The executable lies beside the test bundle, or a little above it.
  private static func executable() throws -> URL {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    for _ in 0..<4 {
      let candidate = folder.appendingPathComponent("pcm-browser")
      if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
      folder.deleteLastPathComponent()
    }
    throw Failure(what: "no pcm-browser beside \(CommandLine.arguments[0])")
  }

  /// SIGKILL: nothing can be put in order any more.
  package func kill() { Foundation.kill(identifier, SIGKILL) }

  /// SIGTERM: requests in flight are finished.
  package func terminate() { Foundation.kill(identifier, SIGTERM) }

  /// Waits for the end and returns the exit status, or the signal that ended it.
  @discardableResult
  package func status() async -> Int32 {
    for await status in ended { return status }
    return -1
  }

  /// Sends bytes unchanged over a new connection and returns the first that come back.
  package func exchange(raw: String) async throws -> String {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(FirstWords(raw))
          return try NIOAsyncChannel<ByteBuffer, Never>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { input in
      for try await bytes in input { return String(buffer: bytes) }
      return ""
    }
  }

  /// Makes a call and reads the whole answer.
  ///
  /// - Parameters:
  ///   - key: the idempotency key.
  ///   - seconds: the time for the call, which also limits the attempts to connect to a process that has ended.
  package func call(
    _ method: String, _ path: String, _ body: String = "", type: String = "application/json", token: String? = nil,
    key: String? = nil, timeout seconds: Int64 = 60
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
    request.method = .RAW(value: method)
    if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
    if let key { request.headers.add(name: "Idempotency-Key", value: key) }
    if !body.isEmpty {
      request.headers.add(name: "Content-Type", value: type)
      request.body = .bytes(ByteBuffer(string: body))
    }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(seconds))
    let bytes = try await response.body.collect(upTo: 16 << 20)
    return Answer(
      status: Int(response.status.code), bytes: Array(bytes.readableBytesView),
      isReplayed: response.headers.first(name: "Idempotent-Replayed") == "true")
  }
}

extension TerminationStatus {
  /// The exit status, or the signal that ended the process.
  fileprivate var number: Int32 {
    switch self {
    case .exited(let status): status
    case .signaled(let signal): signal
    }
  }
}

/// Speaks as soon as there is a connection, on its own thread: the service closes one on which nothing comes, and a task
/// may have to wait for its turn among all tests.
private final class FirstWords: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  private let words: String

  init(_ words: String) {
    self.words = words
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: words)), promise: nil)
    context.fireChannelActive()
  }
}

/// A folder that goes with the value.
package final class TemporaryFolder: Sendable {
  package let path = FileManager.default.temporaryDirectory.path + "/pcm-browser-test-\(UUID().uuidString)"

  package init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
