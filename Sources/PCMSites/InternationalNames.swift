import CUnicode

/// The conversion of internationalized domain names to ASCII (UTS 46), with the same library and the same options as
/// WebKit (URLParser.cpp).
///
/// `@unchecked Sendable`: ICU never changes the object after opening it, and any number of threads may use it.
final class InternationalNames: @unchecked Sendable {
  private let names: OpaquePointer?

  /// WebKit's limit, in bytes of ASCII.
  private static let capacity = 2_048

  init() {
    names = pcm_unicode_names_open()
  }

  deinit {
    if let names { pcm_unicode_names_close(names) }
  }

  /// Nil when the name is invalid: a character that no name has, broken punycode, mixed directionality, or a misplaced
  /// joiner. The result is lowercase.
  func ascii(_ name: String) -> String? {
    guard let names else { return nil }
    var name = name
    return name.withUTF8 { name in
      let ascii = [CChar](unsafeUninitializedCapacity: Self.capacity) { ascii, count in
        let written = name.withMemoryRebound(to: CChar.self) { name in
          pcm_unicode_names_to_ascii(
            names, name.baseAddress, Int32(name.count), ascii.baseAddress, Int32(ascii.count))
        }
        count = max(0, Int(written))
      }
      return ascii.isEmpty ? nil : String(decoding: ascii.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }
}
