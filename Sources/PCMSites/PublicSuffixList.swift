import CPublicSuffix
import CPublicSuffixList

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The names under which people register domains (publicsuffix.org), held by libpsl.
///
/// `@unchecked Sendable`: libpsl changes a list only while it loads it; lookups read.
package final class PublicSuffixList: @unchecked Sendable {
  private let list: OpaquePointer

  /// The list that the service is built with.
  package static func builtIn() -> PublicSuffixList {
    let bytes = UnsafeRawBufferPointer(start: pcm_public_suffix_list_bytes(), count: pcm_public_suffix_list_length)
    guard let list = load(bytes) else { fatalError("psl_load_fp: cannot load the list that is built in") }
    return PublicSuffixList(list)
  }

  /// A list in the format of `public_suffix_list.dat`.
  package convenience init(file path: String) throws(PublicSuffixListError) {
    let bytes = try ListFile.read(path)
    // libpsl takes any text for a list. The section mark tells a list from the error page that a download saved.
    guard String(decoding: bytes, as: UTF8.self).contains("// ===BEGIN ICANN DOMAINS===") else {
      throw PublicSuffixListError(file: path, reason: .notAList)
    }
    guard let list = bytes.withUnsafeBytes(Self.load) else { throw PublicSuffixListError(file: path, reason: .notAList) }
    self.init(list)
    guard psl_suffix_count(list) > 0 else { throw PublicSuffixListError(file: path, reason: .empty) }
  }

  private init(_ list: OpaquePointer) {
    self.list = list
  }

  deinit {
    psl_free(list)
  }

  /// The public suffix of a host and one label more. Nil when the host is itself a suffix. An unlisted last label counts
  /// as a suffix, as the list's own algorithm has it. The host is a name in lower-case ASCII: libpsl would treat an
  /// address as a name too.
  func registrableDomain(ofName host: String) -> String? {
    // The result points into the argument, so it is copied while that is alive.
    host.withCString { name in psl_registrable_domain(list, name).map { String(cString: $0) } }
  }

  /// libpsl loads from a stream only.
  private static func load(_ bytes: UnsafeRawBufferPointer) -> OpaquePointer? {
    guard let stream = fmemopen(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count, "r") else { return nil }
    defer { fclose(stream) }
    return psl_load_fp(stream)
  }
}

/// Why a file is not taken as a public suffix list.
package struct PublicSuffixListError: Error, Hashable, Sendable {
  package let file: String
  package let reason: Reason

  package init(file: String, reason: Reason) {
    self.file = file
    self.reason = reason
  }

  package enum Reason: Hashable, Sendable {
    /// With the system's words for it.
    case unreadable(String)
    case tooLarge(limit: Int)
    case notAList
    case empty
  }

  /// A sentence for people.
  package var detail: String {
    switch reason {
    case .unreadable(let cause): "The public suffix list \(file) cannot be read: \(cause)."
    case .tooLarge(let limit): "The public suffix list \(file) is larger than \(limit) bytes."
    case .notAList: "\(file) is no public suffix list: it has no line \"// ===BEGIN ICANN DOMAINS===\"."
    case .empty: "The public suffix list \(file) has no rules."
    }
  }
}

/// Reads a whole file of bounded size, without Foundation.
private enum ListFile {
  /// The published list has about 340 KB.
  static let limit = 16 * 1_048_576

  static func read(_ path: String) throws(PublicSuffixListError) -> [UInt8] {
    guard let stream = fopen(path, "r") else { throw unreadable(path) }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&chunk, 1, chunk.count, stream)
      guard ferror(stream) == 0 else { throw unreadable(path) }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= limit else { throw PublicSuffixListError(file: path, reason: .tooLarge(limit: limit)) }
    }
  }

  private static func unreadable(_ path: String) -> PublicSuffixListError {
    PublicSuffixListError(file: path, reason: .unreadable(String(cString: strerror(errno))))
  }
}
