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

/// Small files, read and written whole.
enum TextFile {
  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  static func read(_ path: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw StartFailure(description: "cannot read \(path); is it there, and may you read it?")
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// Writes a file beside the old one and puts it in its place, so that whoever reads sees one or the other.
  ///
  /// - Parameter isSecret: nobody but the owner may read it.
  static func write(_ text: String, to path: String, isSecret: Bool) throws {
    let new = path + ".new"
    _ = unlink(new)
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL, isSecret ? 0o600 : 0o644)
    guard descriptor >= 0 else { throw StartFailure(description: "cannot write \(path); is its folder there?") }
    let isWritten = Data(text.utf8).withUnsafeBytes { writeAll($0, to: descriptor) }
    close(descriptor)
    guard isWritten, rename(new, path) == 0 else { throw StartFailure(description: "cannot write \(path)") }
  }
}

/// A file to which is appended, each time in one piece.
final class LineFile: Sendable {
  private let descriptor: Int32

  init(path: String) throws {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    guard descriptor >= 0 else { throw StartFailure(description: "cannot write \(path); is its folder there?") }
  }

  deinit { close(descriptor) }

  func append(_ line: String) {
    _ = append(Array((line + "\n").utf8))
  }

  /// - Returns: whether all of it was written.
  func append(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
  }
}

private func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = UnsafeRawBufferPointer(rebasing: rest).baseAddress.map { write(descriptor, $0, rest.count) } ?? 0
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}
