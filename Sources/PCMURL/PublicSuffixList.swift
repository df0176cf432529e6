import CPublicSuffix
import CPublicSuffixList
import Foundation

/// The Public Suffix List (publicsuffix.org), loaded with libpsl.
///
/// `@unchecked Sendable`: libpsl changes a list only while loading it. Lookups only read.
package final class PublicSuffixList: @unchecked Sendable {
  private let list: OpaquePointer

  /// The built-in list.
  package static func builtIn() -> PublicSuffixList {
    let bytes = UnsafeRawBufferPointer(start: pcm_public_suffix_list_bytes(), count: pcm_public_suffix_list_length)
    guard let list = load(bytes) else { fatalError("psl_load_fp: cannot load the built-in list") }
    return PublicSuffixList(list)
  }

  /// Loads a list in the format of `public_suffix_list.dat`.
  package convenience init(_ bytes: [UInt8]) throws(ReadError) {
    // libpsl accepts any text as a list. The section mark distinguishes a list from a downloaded error page.
    guard String(decoding: bytes, as: UTF8.self).contains("// ===BEGIN ICANN DOMAINS==="),
      let list = bytes.withUnsafeBytes(Self.load)
    else { throw .notAList }
    self.init(list)
    guard psl_suffix_count(list) > 0 else { throw .empty }
  }

  /// Why a file is not a list.
  package enum ReadError: Error, Hashable, Sendable {
    /// The file has no section of domains.
    case notAList
    /// The file has no rules.
    case empty
  }

  /// The maximum size of a file in bytes. The published list has about 340 KB.
  package static let fileLimit = 16 * 1_048_576

  private init(_ list: OpaquePointer) {
    self.list = list
  }

  deinit {
    psl_free(list)
  }

  /// Returns the public suffix of a host plus one label, or nil when the host is a suffix itself. An unlisted last label
  /// counts as a suffix, as in the algorithm of the list. The host must be a name in lower-case ASCII, because libpsl also
  /// treats addresses as names.
  func registrableDomain(ofName host: String) -> String? {
    // The result points into the argument, so it is copied before the argument is freed.
    host.withCString { name in psl_registrable_domain(list, name).map { String(cString: $0) } }
  }

  /// Whether a name is a public suffix that the list has from the owner of a domain, such as a hosting service, and not from
  /// a registry.
  func isPrivateSuffix(_ name: String) -> Bool {
    psl_is_public_suffix2(list, name, CInt(PSL_TYPE_PRIVATE | PSL_TYPE_NO_STAR_RULE)) != 0
  }

  /// libpsl only loads from a stream.
  private static func load(_ bytes: UnsafeRawBufferPointer) -> OpaquePointer? {
    guard let stream = fmemopen(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count, "r") else { return nil }
    defer { fclose(stream) }
    return psl_load_fp(stream)
  }
}
