import Foundation
import PCMVerify

/// The bytes of a file, a pipe, or standard input, one part after another. Gzip is decompressed.
final class ByteStream {
  private let path: String
  private let descriptor: Int32
  /// The beginning of a pipe.
  private var first: [UInt8]
  private var inflater: Inflater?
  private var hasStarted = false
  /// The size of a regular file in bytes; nil for a pipe.
  private let size: Int?
  private var readCount = 0

  /// The size of a part in bytes. A part of gzip has at most 1,032 times as many.
  private static let partSize = 16_384

  /// - Parameter path: The path of a file, or `-` for standard input.
  init(path: String) throws(StartError) {
    self.path = path
    // Opening a pipe would otherwise wait for its writer.
    descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_NONBLOCK)
    first = []
    var status = stat()
    size = descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    guard descriptor >= 0 else { throw unreadable(String(cString: strerror(errno))) }
    guard path != "-" else { return }
    do throws(StartError) {
      first = try TextFile.pipe(descriptor, upTo: Self.partSize) ?? []
    } catch {
      throw unreadable(error.description)
    }
  }

  deinit { close(descriptor) }

  /// The share of a file that was read; nil for a pipe.
  var share: Double? { size.map { $0 == 0 ? 1 : min(Double(readCount) / Double($0), 1) } }

  /// Returns the next bytes; empty at the end.
  func next() throws(StartError) -> [UInt8] {
    while true {
      let part = try nextPart()
      if !hasStarted, Inflater.isGzip(part) { inflater = Inflater() }
      hasStarted = true
      guard let inflater else { return part }
      guard !part.isEmpty || inflater.isComplete else { throw unreadable("the gzip data ends too early") }
      guard let bytes = inflater.bytes(of: part) else { throw unreadable("the gzip data is damaged") }
      if !bytes.isEmpty || part.isEmpty { return bytes }
    }
  }

  private func nextPart() throws(StartError) -> [UInt8] {
    if !first.isEmpty {
      defer { first = [] }
      return first
    }
    var part = [UInt8](repeating: 0, count: Self.partSize)
    let count = readSome(&part, of: descriptor, upTo: part.count)
    guard count >= 0 else { throw unreadable(String(cString: strerror(errno))) }
    readCount += count
    return Array(part.prefix(count))
  }

  private func unreadable(_ reason: String) -> StartError {
    StartError(description: "cannot read \(path == "-" ? "standard input" : path): \(reason)")
  }
}
