import Foundation

/// Standard output, flushed after each write, also without a terminal.
enum StandardOutput {
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes text. A pipe whose reader is gone is no error, because such a reader needs nothing more.
  static func write(_ text: String) throws(StartError) { try write(text, to: STDOUT_FILENO) }

  /// - Parameter descriptor: Standard output, or its replacement in a test.
  static func write(_ text: String, to descriptor: Int32) throws(StartError) {
    guard !writeAll(text.utf8, to: descriptor), errno != EPIPE else { return }
    throw StartError(description: "cannot write to standard output: \(String(cString: strerror(errno)))")
  }

  /// Writes a line that may be lost, of at most 4,096 bytes, unless the reader of standard output is slow or gone.
  static func writeIfReady(_ line: String) { PCMApp.writeIfReady(line.utf8, to: STDOUT_FILENO) }
}

enum StandardError {
  /// Whether progress can be shown.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  static func write(_ text: String) { writeAll(text.utf8, to: STDERR_FILENO) }
}

/// The descriptors of the standard streams.
enum StandardDescriptors {
  /// Opens the closed streams such that each use of them still fails. Otherwise a file that is opened later would get the number
  /// of one of them, and the output would go into this file.
  static func reserve() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}

enum StandardInput {
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Waits for a line and returns it; nil at the end of the input.
  static func line() -> String? { readLine() }
}

/// Writes at most 4,096 bytes unless the write would wait for a reader, and returns whether they were written. A pipe that is
/// writable accepts so many at once.
@discardableResult func writeIfReady(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Bool {
  var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  // A pipe without a reader also has an error, and a write to it would end the process.
  guard poll(&state, 1, 0) == 1, state.revents == Int16(POLLOUT) else { return false }
  return writeAll(bytes, to: descriptor)
}

/// Writes all bytes to a file, a pipe, or a terminal, and returns whether all of them were written.
@discardableResult func writeAll(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Bool {
  var rest = Array(bytes)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    // A full disk, or a pipe that was closed.
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}
