#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Standard output, flushed after each write, also without a terminal.
enum StandardOutput {
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  static func write(_ text: String) { writeAll(text.utf8, to: STDOUT_FILENO) }
}

enum StandardError {
  /// Whether progress can be shown.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  static func write(_ text: String) { writeAll(text.utf8, to: STDERR_FILENO) }
}

enum StandardInput {
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Waits for a line and returns it; nil at the end of the input.
  static func line() -> String? { readLine() }
}

/// Writes all bytes to a file, a pipe, or a terminal, and returns whether all of them were written.
@discardableResult func writeAll(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Bool {
  var rest = Array(bytes)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    // A full disk, or a pipe that was closed.
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}
