import Foundation

/// The status of the file at a path, at the end of symbolic links.
struct FileStatus: Sendable {
  /// A file that is removed and created again has another identity.
  struct Identity: Hashable, Sendable {
    fileprivate let device: UInt64
    fileprivate let number: UInt64
  }

  let identity: Identity
  let isFolder: Bool
  let isRegular: Bool
  /// The size in bytes.
  let size: Int

  /// Returns nil when there is no file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    identity = Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
    isFolder = status.st_mode & S_IFMT == S_IFDIR
    isRegular = status.st_mode & S_IFMT == S_IFREG
    size = Int(status.st_size)
  }

  /// Creates an empty file that only its owner may access, also at the end of a symbolic link. Returns whether it exists.
  static func createFile(_ path: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    guard descriptor >= 0 else { return false }
    return close(descriptor) == 0
  }

  /// Returns a path without symbolic links, or the path itself when there is no file.
  static func resolved(_ path: String) -> String {
    guard let text = realpath(path, nil) else { return path }
    defer { free(text) }
    return String(cString: text)
  }
}
