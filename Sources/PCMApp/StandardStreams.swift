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

/// Lines for whoever started the process, out at once even when nobody is at a terminal.
enum StandardOutput {
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  static func write(_ text: String) { writeAll(text, to: STDOUT_FILENO) }
}

enum StandardError {
  /// Whether somebody looks at it who likes to see progress.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  static func write(_ text: String) { writeAll(text, to: STDERR_FILENO) }
}

enum StandardInput {
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Waits for a line; nil at the end of the input.
  static func line() -> String? { readLine() }
}

/// Whether everything went out.
@discardableResult func writeAll(_ text: String, to descriptor: Int32) -> Bool {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    // A closed pipe: nobody reads any more.
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}
