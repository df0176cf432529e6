#if canImport(Glibc)
  import Foundation
  import FoundationNetworking

  /// A request over plain HTTP/1.1, on one connection that is not used again.
  ///
  /// On Linux, `URLSession` repeats a request whose response is lost, also one without a key, and may then wait for its body forever.
  final class SocketExchange: @unchecked Sendable {
    /// Guards the state.
    private let lock = NSLock()
    private var descriptor: Int32?
    private var isCanceled = false

    /// Ends the exchange, which then throws an error.
    func cancel() {
      lock.withLock {
        isCanceled = true
        if let descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
      }
    }

    /// Sends a request, and delivers the parts of its response. Returns at the end of the response.
    func run(_ request: URLRequest, deliver: (HTTPTransport.Part) -> Void) throws {
      guard let url = request.url, let host = url.host else { throw URLError(.badURL) }
      let socket = try connect(to: host, port: url.port ?? 80)
      defer {
        lock.withLock {
          close(socket)
          descriptor = nil
        }
      }
      write(Self.bytes(of: request, to: url), to: socket)
      var reader = HTTPResponseReader(url: url)
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while !reader.isComplete {
        let count = recv(socket, &buffer, buffer.count, 0)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          if count == 0, reader.endsWithConnection { return }
          throw URLError(
            .networkConnectionLost, userInfo: [NSLocalizedDescriptionKey: "the connection closed within the response"])
        }
        try reader.read(buffer[..<count], deliver)
      }
    }

    private func connect(to host: String, port: Int) throws -> Int32 {
      var (hints, list) = (addrinfo(), UnsafeMutablePointer<addrinfo>?.none)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
      let failure = getaddrinfo(host, String(port), &hints, &list)
      defer { if let list { freeaddrinfo(list) } }
      guard failure == 0 else {
        throw URLError(.cannotFindHost, userInfo: [NSLocalizedDescriptionKey: String(cString: gai_strerror(failure))])
      }
      var (address, reason) = (list, "no address")
      while let info = address?.pointee {
        let socket = Glibc.socket(info.ai_family, info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), info.ai_protocol)
        if socket >= 0, try adopt(socket), Glibc.connect(socket, info.ai_addr, info.ai_addrlen) == 0 { return socket }
        reason = String(cString: strerror(errno))
        lock.withLock {
          if socket >= 0 { close(socket) }
          descriptor = nil
        }
        address = info.ai_next
      }
      throw URLError(.cannotConnectToHost, userInfo: [NSLocalizedDescriptionKey: reason])
    }

    /// Lets a cancellation end the socket.
    private func adopt(_ socket: Int32) throws -> Bool {
      try lock.withLock {
        guard !isCanceled else {
          close(socket)
          throw URLError(.cancelled)
        }
        descriptor = socket
        return true
      }
    }

    private static func bytes(of request: URLRequest, to url: URL) -> [UInt8] {
      let rest = url.absoluteString.dropFirst("http://".count)
      let authority = rest.prefix { $0 != "/" && $0 != "?" }
      let target = rest.dropFirst(authority.count)
      var lines = ["\(request.httpMethod ?? "GET") \(target.hasPrefix("/") ? "" : "/")\(target) HTTP/1.1"]
      lines += ["Host: \(authority)", "Connection: close", "Content-Length: \(request.httpBody?.count ?? 0)"]
      lines += (request.allHTTPHeaderFields ?? [:]).map { "\($0.key): \($0.value)" }
      return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (request.httpBody ?? Data())
    }

    /// A service that refuses a request may close the connection before its end. Then the response says why.
    private func write(_ bytes: [UInt8], to socket: Int32) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// An incremental parser of one response of HTTP/1.1 (RFC 9112, sections 4 to 7).
  struct HTTPResponseReader {
    let url: URL
    private(set) var isComplete = false
    private var state = State.head
    private var bytes: [UInt8] = []

    private enum State {
      case head
      case length(Int)
      case chunkSize
      case chunk(Int)
      case chunkEnd
      case untilClose
    }

    init(url: URL) { self.url = url }

    /// Whether the end of the connection is the end of the response.
    var endsWithConnection: Bool { if case .untilClose = state { true } else { false } }

    /// Reads bytes, and delivers the parts that they contain.
    mutating func read(_ arrived: ArraySlice<UInt8>, _ deliver: (HTTPTransport.Part) -> Void) throws {
      bytes += arrived
      while !isComplete, try step(deliver) {}
    }

    /// Returns whether there may be more to read in the bytes.
    private mutating func step(_ deliver: (HTTPTransport.Part) -> Void) throws -> Bool {
      switch state {
      case .head:
        guard let head = line(endingWith: Array("\r\n\r\n".utf8)) else { return false }
        deliver(.head(try readHead(head)))
      case .length(let count):
        let rest = count - take(count, deliver)
        (state, isComplete) = (.length(rest), rest == 0)
        return false
      case .chunkSize:
        guard let size = line(endingWith: Array("\r\n".utf8)) else { return false }
        guard let count = Int(size.prefix { $0 != ";" && $0 != " " }, radix: 16), count >= 0 else {
          throw URLError(.badServerResponse)
        }
        (state, isComplete) = (.chunk(count), count == 0)
      case .chunk(let count):
        let rest = count - take(count, deliver)
        state = rest == 0 ? .chunkEnd : .chunk(rest)
        return rest == 0
      case .chunkEnd:
        guard line(endingWith: Array("\r\n".utf8)) != nil else { return false }
        state = .chunkSize
      case .untilClose:
        _ = take(bytes.count, deliver)
        return false
      }
      return true
    }

    /// Delivers up to a number of bytes, and returns their number.
    private mutating func take(_ count: Int, _ deliver: (HTTPTransport.Part) -> Void) -> Int {
      let part = bytes.prefix(count)
      if !part.isEmpty { deliver(.bytes(Data(part))) }
      bytes.removeFirst(part.count)
      return part.count
    }

    /// Removes and returns the text before an ending.
    private mutating func line(endingWith end: [UInt8]) -> String? {
      guard bytes.count >= end.count,
        let start = (0...(bytes.count - end.count)).first(where: { bytes[$0..<($0 + end.count)].elementsEqual(end) })
      else { return nil }
      defer { bytes.removeFirst(start + end.count) }
      return String(decoding: bytes[..<start], as: UTF8.self)
    }

    private mutating func readHead(_ head: String) throws -> HTTPURLResponse {
      let lines = head.components(separatedBy: "\r\n")
      let fields = lines.dropFirst().map { line in
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts[0].lowercased(), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
      }
      let headers = Dictionary(fields) { $1 }
      guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
        let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
      else { throw URLError(.badServerResponse) }
      if headers["transfer-encoding"]?.lowercased() == "chunked" {
        state = .chunkSize
      } else if let length = headers["content-length"].flatMap({ Int($0) }) ?? (status == 204 ? 0 : nil) {
        guard length >= 0 else { throw URLError(.badServerResponse) }
        (state, isComplete) = (.length(length), length == 0)
      } else {
        state = .untilClose
      }
      return response
    }
  }
#endif
