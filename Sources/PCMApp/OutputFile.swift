#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that is written once, at the end of work that takes long: that it can be written is known before the work
/// begins. What was in it stays until then, and one that was not there is not there until then either, so that whoever
/// ends the work early, as ^C does, leaves no empty file behind.
final class OutputFile {
  private let path: String
  /// Nil for a file that is not there yet.
  private let old: Int32?

  init(path: String) throws(StartFailure) {
    self.path = path
    let new = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o644)
    guard new < 0 else {
      close(new)
      unlink(path)
      old = nil
      return
    }
    old = try Self.opened(path, O_WRONLY)
  }

  deinit {
    if let old { close(old) }
  }

  func write(_ text: String) throws(StartFailure) {
    let descriptor = if let old { old } else { try Self.opened(path, O_WRONLY | O_CREAT) }
    defer { if old == nil { close(descriptor) } }
    // What is no regular file, such as a pipe, has no length to cut.
    _ = ftruncate(descriptor, 0)
    guard writeAll(text.utf8, to: descriptor) else {
      throw StartFailure(description: "cannot write all of \(path): \(String(cString: strerror(errno)))")
    }
  }

  private static func opened(_ path: String, _ flags: Int32) throws(StartFailure) -> Int32 {
    let descriptor = open(path, flags, 0o644)
    guard descriptor >= 0 else {
      throw StartFailure(description: "cannot write \(path): \(String(cString: strerror(errno)))")
    }
    return descriptor
  }
}
