import Foundation

/// A file that long work writes in parts. Under its name, it appears complete or not at all.
final class ResultFile {
  private let path: String
  private let target: String
  /// The name until the end; nil for standard output and special files.
  let draft: String?
  private let descriptor: Int32
  private var isCommitted = false

  /// - Parameter path: `-` for standard output.
  init(path: String) throws(StartError) {
    self.path = path
    // A symbolic link stays, and the file that it names is replaced.
    target = resolved(path)
    draft = path == "-" || Self.isSpecial(path) ? nil : "\(target).\(getpid()).new"
    if let draft { unlink(draft) }
    descriptor =
      path == "-" ? dup(STDOUT_FILENO) : draft.map { open($0, O_WRONLY | O_CREAT | O_EXCL, 0o644) } ?? open(path, O_WRONLY)
    guard descriptor >= 0 else { throw Self.unwritable(path) }
  }

  deinit {
    close(descriptor)
    if let draft, !isCommitted { unlink(draft) }
  }

  func append(_ bytes: [UInt8]) throws(StartError) {
    guard bytes.isEmpty || writeAll(bytes, to: descriptor) else { throw Self.unwritable(path) }
  }

  /// Gives the file its name.
  func commit() throws(StartError) {
    guard let draft else { return }
    guard rename(draft, target) == 0 else { throw Self.unwritable(path) }
    isCommitted = true
  }

  /// Returns whether a file is neither regular nor new.
  static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  /// Returns the error of the latest call of the system.
  private static func unwritable(_ path: String) -> StartError {
    StartError(description: "cannot write \(path == "-" ? "standard output" : path): \(String(cString: strerror(errno)))")
  }
}
