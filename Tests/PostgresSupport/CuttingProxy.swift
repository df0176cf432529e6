import Foundation
import NIOConcurrencyHelpers

/// A socket in front of a server that ends connections in place of forwarding certain bytes.
package final class CuttingProxy: Sendable {
  /// Bytes that arrived together from one side.
  package struct Piece {
    package let isRequest: Bool
    fileprivate let bytes: Data

    package func contains(_ text: String) -> Bool { bytes.range(of: Data(text.utf8)) != nil }
  }

  /// The folder of the socket.
  package let folder: String
  private let server: String
  private let listener: Int32
  private let cut = NIOLockedValueBox<(@Sendable (Piece) -> Bool)?>(nil)
  private let isRefusing = NIOLockedValueBox(false)

  /// - Parameter server: The folder of the server's socket.
  package init(to server: String) throws {
    self.server = server
    folder = "/tmp/pcm-proxy-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard Self.withAddress(in: folder, { bind(listener, $0, $1) }) == 0, listen(listener, 16) == 0 else {
      throw PostgresCluster.Failure(text: "the proxy's socket: \(String(cString: strerror(errno)))")
    }
    let thread = Thread { [self] in
      while case let client = accept(listener, nil, nil), client >= 0 { forward(client) }
      Foundation.close(listener)
    }
    thread.start()
  }

  /// Ends the connection whose piece `cut` returns true for, once. Nil ends none.
  package func arm(_ cut: (@Sendable (Piece) -> Bool)?) { self.cut.withLockedValue { $0 = cut } }

  /// Ends new connections, as a server that is starting does.
  package func refuse(_ isRefusing: Bool) { self.isRefusing.withLockedValue { $0 = isRefusing } }

  /// Accepts no more connections.
  package func close() {
    shutdown(listener, Int32(SHUT_RDWR))
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func forward(_ client: Int32) {
    let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard !isRefusing.withLockedValue(\.self), Self.withAddress(in: server, { connect(upstream, $0, $1) }) == 0 else {
      return end([client, upstream])
    }
    let isEnded = DispatchSemaphore(value: 0)
    let responses = Thread { [self] in
      pump(from: upstream, to: client, isRequest: false)
      isEnded.signal()
    }
    let requests = Thread { [self] in
      pump(from: client, to: upstream, isRequest: true)
      isEnded.wait()
      end([client, upstream])
    }
    for thread in [requests, responses] { thread.start() }
  }

  private func pump(from reader: Int32, to writer: Int32, isRequest: Bool) {
    defer { for socket in [reader, writer] { shutdown(socket, Int32(SHUT_RDWR)) } }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(reader, &bytes, bytes.count), count > 0 {
      let piece = Piece(isRequest: isRequest, bytes: Data(bytes[..<count]))
      guard !isCut(at: piece) else { return }
      var sent = 0
      while sent < count {
        let written = bytes[sent..<count].withUnsafeBytes { send(writer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard written > 0 else { return }
        sent += written
      }
    }
  }

  private func isCut(at piece: Piece) -> Bool {
    cut.withLockedValue { cut in
      guard cut?(piece) == true else { return false }
      cut = nil
      return true
    }
  }

  private func end(_ sockets: [Int32]) {
    for socket in sockets { Foundation.close(socket) }
  }

  private static func withAddress(in folder: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(folder)/.s.PGSQL.5432".utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
