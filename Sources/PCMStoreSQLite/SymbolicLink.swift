#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Symbolic links, also those to a file that does not exist.
package enum SymbolicLink {
  /// Returns the path at the end of symbolic links, where a file may be missing. Folders of the path may be links. When links form
  /// a circle, the result is one of them.
  package static func target(of path: String) -> String {
    var target = path
    // The limit of Linux, so that links that others change meanwhile end, too.
    for _ in 0..<40 {
      guard let next = destination(of: target) else { break }
      let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? ""
      target = next.hasPrefix("/") ? next : folder + next
    }
    return target
  }

  /// Returns the text of a symbolic link, or nil for what is not a link.
  static func destination(of path: String) -> String? {
    // The longest path of Linux.
    var text = [UInt8](repeating: 0, count: 4_096)
    let count = text.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.map { name in readlink(path, name, bytes.count) } ?? -1 }
    }
    return count < 0 ? nil : String(decoding: text[..<count], as: UTF8.self)
  }
}
