#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that is written once, at the end of work that takes long: that it can be written is known before the work
/// begins. What was in it stays until then, and a file that was not there goes again if nothing is written.
final class OutputFile {
  private let path: String
  private let descriptor: Int32
  private let isNew: Bool
  private var isWritten = false

  init(path: String) throws(StartFailure) {
    self.path = path
    let new = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o644)
    isNew = new >= 0
    descriptor = isNew ? new : open(path, O_WRONLY)
    guard descriptor >= 0 else {
      throw StartFailure(description: "cannot write \(path): \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    close(descriptor)
    if isNew, !isWritten { unlink(path) }
  }

  func write(_ text: String) throws(StartFailure) {
    isWritten = true
    // What is no regular file, such as a pipe, has no length to cut.
    _ = ftruncate(descriptor, 0)
    guard writeAll(text, to: descriptor) else {
      throw StartFailure(description: "cannot write all of \(path): \(String(cString: strerror(errno)))")
    }
  }
}
