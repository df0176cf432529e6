import Foundation
import PCMCore

/// The folder of `--trace`, with a file for each trace.
struct TraceFolder {
  private let path: String

  /// Creates the folder if it is absent.
  init(path: String) throws(StartError) {
    self.path = path
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw StartError(description: "--trace: cannot create the folder \(path); choose another one")
    }
  }

  /// Writes a trace and returns its path.
  ///
  /// - Parameter name: A name from ``names(for:)``.
  func write(_ document: [UInt8], as name: String) throws(StartError) -> String {
    let file = "\(path)/\(name).html"
    try TextFile.write(String(decoding: document, as: UTF8.self), to: file, isSecret: false)
    return file
  }

  /// Removes the folder if it has no files.
  func removeIfEmpty() { rmdir(path) }

  /// Returns a name for each text, which is safe for files and in which letters, digits, `.`, `_`, and `-` are kept. Equal names have
  /// numbers.
  static func names(for texts: [String]) -> [String] {
    var counts: [String: Int] = [:]
    return texts.map { text in
      let safe = text.unicodeScalars.map { scalar -> Character in
        let isKept = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        return isKept || scalar == "_" || scalar == "." ? Character(scalar) : "-"
      }
      let name = String(String(safe).drop { $0 == "." || $0 == "-" }.prefix(100))
      // Some file systems do not distinguish cases.
      let count = counts[name.lowercased(), default: 0] + 1
      counts[name.lowercased()] = count
      return count == 1 && !name.isEmpty ? name : "\(name.isEmpty ? "trace" : name)-\(count)"
    }
  }
}
