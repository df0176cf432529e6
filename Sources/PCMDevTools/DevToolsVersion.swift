import NIOCore
import NIOHTTP1
import NIOPosix
import PCMCore

/// The response to `GET /json/version`.
struct DevToolsVersion: Hashable, Sendable {
  /// The browser and its version.
  let product: String
  /// The path of the browser's WebSocket. The rest of the URL is ignored, so that a response cannot redirect to another host.
  let path: String

  /// Chromium's response has about 400 bytes.
  static let bodyLimit = 65_536

  init(status: Int, body: [UInt8], address: DevToolsAddress) throws(DevToolsError) {
    let place = "GET http://\(address.hostField)/json/version"
    guard !(300..<400).contains(status) else {
      throw DevToolsError(
        .unreachable, "\(place) responded with the redirect \(status), which is not followed; give the address of the browser")
    }
    guard status == 200 else {
      throw DevToolsError(.unreachable, "\(place) responded with status \(status); give the address of a browser's DevTools")
    }
    guard let json = JSON(parsing: body, keepingNumbers: true, keepingDuplicates: true),
      let path = json["webSocketDebuggerUrl"]?.string.flatMap(Self.path)
    else {
      throw DevToolsError(
        .malformed, "\(place) responded without a webSocketDebuggerUrl; give the address of a browser's DevTools")
    }
    self.path = path
    product = (json["Browser"]?.string ?? "unknown").asShown(upTo: 100)
  }

  /// The browser of a WebSocket address, which is not asked for its version.
  private init(path: String) { (product, self.path) = ("a browser", path) }

  static func read(at address: DevToolsAddress, limit: TimeAmount) async throws -> DevToolsVersion {
    if let path = address.path { return DevToolsVersion(path: path) }
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let promise = loop.makePromise(of: NIOHTTPClientResponseFull.self)
    let deadline = loop.scheduleTask(in: limit) {
      promise.fail(
        DevToolsError(
          .unreachable, "DevTools at \(address.hostField) did not respond within \(limit.nanoseconds / 1_000_000) ms"))
    }
    let bootstrap = ClientBootstrap(group: loop).connectTimeout(limit).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHTTPClientHandlers()
        try pipeline.addHandlers([
          NIOHTTPClientResponseAggregator(maxContentLength: bodyLimit), VersionRequest(address.hostField, promise),
        ])
      }
    }
    let connected = bootstrap.connect(host: address.connectHost, port: address.port)
    connected.whenFailure { promise.fail($0) }
    promise.futureResult.whenComplete { _ in
      deadline.cancel()
      connected.whenSuccess { $0.close(promise: nil) }
    }
    do {
      let response = try await withTaskCancellationHandler {
        try await promise.futureResult.get()
      } onCancel: {
        promise.fail(DevToolsError.stopped)
      }
      let body = response.body.map { Array($0.readableBytesView) } ?? []
      return try DevToolsVersion(status: Int(response.head.status.code), body: body, address: address)
    } catch let error as DevToolsError {
      throw error
    } catch is NIOConnectionError {
      throw DevToolsError(
        .unreachable,
        "DevTools at \(address.hostField) accepts no connection; start the browser with "
          + "--remote-debugging-port and --user-data-dir")
    } catch {
      throw DevToolsError(
        .unreachable,
        "no answer from DevTools at \(address.hostField): \(DevToolsError.cause(error)); start the browser with "
          + "--remote-debugging-port and --user-data-dir")
    }
  }

  /// Returns the path of a WebSocket's URL, or nil for a path that is not valid in an HTTP request.
  private static func path(ofWebSocket url: String) -> String? {
    guard let scheme = url.firstRange(of: "://"), url[..<scheme.lowerBound].hasPrefix("ws"),
      let slash = url[scheme.upperBound...].firstIndex(of: "/")
    else { return nil }
    let path = url[slash...]
    return path.utf8.count <= 1_024 && path.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? String(path) : nil
  }
}

/// Sends the request, and passes the response on.
private final class VersionRequest: ChannelInboundHandler {
  typealias InboundIn = NIOHTTPClientResponseFull
  typealias OutboundOut = HTTPClientRequestPart

  private let host: String
  private let promise: EventLoopPromise<NIOHTTPClientResponseFull>

  init(_ host: String, _ promise: EventLoopPromise<NIOHTTPClientResponseFull>) {
    self.host = host
    self.promise = promise
  }

  func channelActive(context: ChannelHandlerContext) {
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: "/json/version", headers: ["Host": host, "Connection": "close"])
    context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { promise.succeed(Self.unwrapInboundIn(data)) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    promise.fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
}
