import Foundation
import NIOConcurrencyHelpers

/// Small files that are read and written as a whole.
enum TextFile {
  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  /// The limit for the bytes of a file with keys or certificates, far more than the size of any system's bundle.
  static let pemLimit = 16_777_216

  /// Reads a text file that the user names.
  static func read(_ path: String, upTo limit: Int) throws(StartError) -> String {
    String(decoding: try contents(path, upTo: limit), as: UTF8.self)
  }

  /// Reads a file that the user names, which may be a pipe.
  ///
  /// - Throws: ``StartError`` also for a file with more than `limit` bytes. The rest is not read.
  static func contents(_ path: String, upTo limit: Int) throws(StartError) -> [UInt8] {
    guard !path.isEmpty else { throw StartError(description: "the path of a file is empty") }
    guard !FolderFiles.isFolder(path) else { throw StartError(description: "cannot read \(path): it is a folder") }
    let descriptor = open(path, O_RDONLY | O_NONBLOCK)
    guard descriptor >= 0 else { throw StartError(description: "cannot read \(path): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    let found: [UInt8]
    do throws(StartError) {
      if let bytes = try pipe(descriptor, upTo: limit + 1) {
        found = bytes
      } else {
        found = try bytes(of: descriptor, upTo: limit + 1)
      }
    } catch {
      throw StartError(description: "cannot read \(path): \(error.description)")
    }
    guard found.count <= limit else { throw StartError(description: "\(path) is larger than \(limit) bytes") }
    return found
  }

  /// Reads at most `limit` bytes of an untrusted file, which may be a pipe.
  ///
  /// - Throws: ``StartError`` with only the reason.
  static func bytes(of path: String, upTo limit: Int) throws(StartError) -> [UInt8] {
    // Opening a pipe would otherwise wait for its writer.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK)
    guard descriptor >= 0 else { throw StartError(description: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    if let bytes = try pipe(descriptor, upTo: limit) { return bytes }
    // For a folder, the first read returns an error.
    let end = lseek(descriptor, 0, SEEK_END)
    guard end >= 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw StartError(description: "it is not a regular file") }
    return try bytes(of: descriptor, upTo: min(Int(end), limit))
  }

  /// Reads at most `limit` bytes of standard input.
  ///
  /// - Throws: ``StartError`` with only the reason.
  static func standardInput(upTo limit: Int) throws(StartError) -> [UInt8] { try bytes(of: STDIN_FILENO, upTo: limit) }

  /// Reads at most `limit` bytes of a pipe that was opened without waiting; nil for another kind of file.
  ///
  /// - Throws: ``StartError`` also for a pipe without a writer, which would otherwise look like an empty file.
  static func pipe(_ descriptor: Int32, upTo limit: Int) throws(StartError) -> [UInt8]? {
    // Only a pipe and a terminal are not seekable.
    guard lseek(descriptor, 0, SEEK_CUR) < 0, errno == ESPIPE else { return nil }
    var first = [UInt8](repeating: 0, count: min(65_536, limit))
    let count = readSome(&first, of: descriptor, upTo: first.count)
    guard count != 0 else { throw StartError(description: "no process writes to this pipe") }
    guard fcntl(descriptor, F_SETFL, O_RDONLY) == 0 else { throw StartError(description: String(cString: strerror(errno))) }
    let beginning = Array(first.prefix(max(count, 0)))
    return beginning + (try bytes(of: descriptor, upTo: limit - beginning.count))
  }

  private static func bytes(of descriptor: Int32, upTo limit: Int) throws(StartError) -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: min(65_536, limit))
    while bytes.count < limit {
      let count = readSome(&part, of: descriptor, upTo: min(part.count, limit - bytes.count))
      guard count >= 0 else { throw StartError(description: String(cString: strerror(errno))) }
      guard count > 0 else { break }
      bytes += part[..<count]
    }
    return bytes
  }

  /// Writes a file that the user names: see ``PreparedFile``.
  ///
  /// - Parameter isSecret: Whether only the owner may read the file.
  static func write(_ text: String, to path: String, isSecret: Bool) throws(StartError) {
    try PreparedFile(text, for: path, isSecret: isSecret).commit()
  }
}

/// A text that is on the disk next to the file that it replaces, until `commit`. A wrong path is an error before that, and
/// without `commit`, the file stays as it is.
///
/// A new file is renamed over an old file, so that a reader sees one of the two in full. A symbolic link stays, and the file
/// that it names, which must exist, is replaced. A special file, such as a pipe, is written and not replaced.
final class PreparedFile: Sendable {
  private let path: String
  private let text: String
  private let place: Place
  private let isSettled = NIOLockedValueBox(false)

  private enum Place {
    case renamed(from: String, to: String)
    case written(OutputFile)
  }

  /// - Parameter isSecret: Whether only the owner may read the file.
  init(_ text: String, for path: String, isSecret: Bool) throws(StartError) {
    (self.path, self.text) = (path, text)
    let target = resolved(path)
    let type = (try? FileManager.default.attributesOfItem(atPath: target))?[.type] as? FileAttributeType
    guard type == nil || type == .typeRegular else {
      place = .written(try OutputFile(path: path))
      return
    }
    // Another process may prepare the same file.
    let new = "\(target).\(getpid()).new"
    _ = unlink(new)
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL, isSecret ? 0o600 : 0o644)
    guard descriptor >= 0 else { throw unwritable(path) }
    defer { close(descriptor) }
    guard writeAll(text.utf8, to: descriptor) else {
      defer { unlink(new) }
      throw unwritable(path)
    }
    place = .renamed(from: new, to: target)
  }

  deinit { discard() }

  func commit() throws(StartError) {
    guard settle() else { return }
    switch place {
    case .written(let file): try file.write(text)
    case .renamed(let new, let target):
      guard rename(new, target) == 0 else {
        defer { unlink(new) }
        throw unwritable(path)
      }
    }
  }

  /// Removes the prepared file. After `commit`, it does nothing.
  func discard() {
    if settle(), case .renamed(let new, _) = place { unlink(new) }
  }

  /// Returns true once.
  private func settle() -> Bool {
    isSettled.withLockedValue { isSettled in
      defer { isSettled = true }
      return !isSettled
    }
  }
}

/// Returns a path without symbolic links, or the path itself when there is no file.
func resolved(_ path: String) -> String {
  guard let text = realpath(path, nil) else { return path }
  defer { free(text) }
  return String(cString: text)
}

/// Returns the error of the latest call of the system.
private func unwritable(_ path: String) -> StartError {
  StartError(description: "cannot write \(path): \(String(cString: strerror(errno)))")
}

/// A file that receives each line in one write. A new file stays only after `keep`, so that a command that cannot start leaves none.
final class LineFile: Sendable {
  private let path: String
  private let descriptor: Int32
  private let isKept: NIOLockedValueBox<Bool>

  init(path: String) throws(StartError) {
    self.path = path
    isKept = NIOLockedValueBox(TextFile.exists(path))
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    guard descriptor >= 0 else { throw unwritable(path) }
  }

  deinit { close(descriptor) }

  /// Keeps a new file.
  func commit() { isKept.withLockedValue { $0 = true } }

  /// Removes a new file. After `keep`, it does nothing.
  func discard() {
    if !isKept.withLockedValue({ $0 }) { unlink(path) }
  }

  func append(_ line: String) throws(StartError) { try append(Array((line + "\n").utf8)) }

  func append(_ bytes: [UInt8]) throws(StartError) {
    guard writeAll(bytes, to: descriptor) else { throw unwritable(path) }
  }
}

func readSome(_ bytes: inout [UInt8], of descriptor: Int32, upTo limit: Int) -> Int { read(descriptor, &bytes, limit) }

/// A file that is written once, at the end of long work, and that is opened before the work begins, so that a wrong path is
/// an error at once. An existing file keeps its content until the end, and a new file appears only at the end, so that an
/// interruption leaves no empty file.
final class OutputFile: Sendable {
  private let path: String
  /// Nil when the file does not exist yet.
  private let old: Int32?

  init(path: String) throws(StartError) {
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

  /// Writes a file that a command leaves, and names it on standard error.
  func publish(_ text: String) throws(StartError) {
    try write(text)
    StandardError.write("pcm-browser: wrote \(path)\n")
  }

  func write(_ text: String) throws(StartError) {
    let descriptor = if let old { old } else { try Self.opened(path, O_WRONLY | O_CREAT) }
    defer { if old == nil { close(descriptor) } }
    // Only a regular file can be truncated; a pipe cannot.
    _ = ftruncate(descriptor, 0)
    guard writeAll(text.utf8, to: descriptor) else {
      throw StartError(description: "cannot write all of \(path): \(String(cString: strerror(errno)))")
    }
  }

  private static func opened(_ path: String, _ flags: Int32) throws(StartError) -> Int32 {
    let descriptor = open(path, flags, 0o644)
    guard descriptor >= 0 else { throw unwritable(path) }
    return descriptor
  }
}
