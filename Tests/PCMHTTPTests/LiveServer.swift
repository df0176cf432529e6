import BrowserSupport
import Foundation
import HTTPSupport
import Logging
import NIOCore
import NIOPosix
import PCMBrowser
import PCMCore
import PCMStore
import ServiceLifecycle
import Testing

@testable import PCMHTTP

/// The control API on a real socket, for callers that misbehave.
struct LiveServer {
  let port: Int
  /// Begins the graceful shutdown of the server.
  let shutDown: @Sendable () async -> Void
  private let connections: Metric

  static func run(
    _ limits: ServerLimits, access: AccessRules = .open, store: any Store = MemoryStore(),
    transport: ScriptedTransport = ScriptedTransport(), extension: RouterExtension = .none, scenarios: ScenarioPlaying? = nil,
    onLoad: (Browsers) -> Void = { _ in }, _ body: (LiveServer) async throws -> Void
  ) async throws {
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let api = try await API.metered(
      store: store, transport: transport, sleep: Scene.endlessSleep, scenarios: scenarios, onLoad: onLoad)
    let server = ControlServer(
      api: api, access: access, extension: `extension`, host: "127.0.0.1", port: 0, limits: limits,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      onListening: { listening.yield($0) })
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [server], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    let running = Task { try await group.run() }
    var port: Int?
    for await listening in ports {
      port = listening
      break
    }
    do {
      try await body(
        LiveServer(
          port: try #require(port), shutDown: group.triggerGracefulShutdown, connections: api.metrics.metricSet.connections))
    } catch {
      running.cancel()
      throw error
    }
    running.cancel()
    _ = await running.result
  }

  /// Returns when a number of connections is open.
  func untilConnections(_ count: Double) async {
    while connections.add(0) != count { await Task.yield() }
  }

  /// A connection whose bytes the test chooses.
  ///
  /// - Parameter endsInReset: Whether the connection ends with a reset, as when the caller's process is killed.
  func connect(endsInReset: Bool = false, _ body: @Sendable (inout Line) async throws -> Void) async throws {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          // A reader that buffers much would hide how the service writes.
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
            wrappingChannelSynchronously: channel,
            configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 1)))
        }
      }
    try await channel.executeThenClose { input, output in
      if endsInReset, let socket = channel.channel as? any SocketOptionProvider {
        try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
      }
      var line = Line(input: input.makeAsyncIterator(), output: output)
      try await body(&line)
    }
  }

  struct Line {
    fileprivate var input: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    fileprivate let output: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var seen = ""

    fileprivate init(
      input: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator, output: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
      self.input = input
      self.output = output
    }

    /// For sending beside a read.
    var sender: @Sendable (String) async throws -> Void {
      { [output] text in try await output.write(ByteBuffer(string: text)) }
    }

    func send(_ text: String) async throws { try await output.write(ByteBuffer(string: text)) }

    /// Everything until the other side closes. A connection that is reset throws.
    mutating func rest() async throws -> String {
      while let bytes = try await input.next(isolation: #isolation) { seen += String(buffer: bytes) }
      defer { seen = "" }
      return seen
    }

    /// Everything up to a text, that included.
    mutating func read(to end: String) async throws -> String {
      while true {
        if let range = seen.range(of: end) {
          defer { seen = String(seen[range.upperBound...]) }
          return String(seen[..<range.upperBound])
        }
        guard let bytes = try await input.next(isolation: #isolation) else { return seen }
        seen += String(buffer: bytes)
      }
    }
  }

  /// One request, and everything that comes back until the connection is closed.
  func exchange(_ text: String) async throws -> String {
    let answers = AsyncStream.makeStream(of: String.self)
    try await connect { line in
      if !text.isEmpty { try await line.send(text) }
      answers.continuation.yield(try await line.rest())
    }
    for await answer in answers.stream { return answer }
    return ""
  }

  /// One request, and its answer, from a service whose idle time a busy machine may exceed before it sends the request.
  func patientExchange(_ text: String) async throws -> String {
    for _ in 0..<1_000 {
      if let answer = try? await exchange(text), !answer.isEmpty { return answer }
    }
    return ""
  }
}

extension ServerLimits {
  /// Limits of time that no machine is slow enough to reach, for tests of something else.
  static var patient: ServerLimits {
    var limits = ServerLimits()
    (limits.idleTime, limits.writeTime) = (.seconds(600), .seconds(600))
    return limits
  }
}
