import CUnicode

/// The conversion of internationalized domain names to ASCII (UTS 46), with the same library and the same options as
/// WebKit (URLParser.cpp).
///
/// `@unchecked Sendable`: ICU never changes the object after opening it, and any number of threads may use it.
final class InternationalNames: @unchecked Sendable {
  private let idna: OpaquePointer?

  private static let options = UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII
  /// What WebKit lets pass. Empty and long labels are left to the host's own grammar.
  private static let acceptedErrors =
    UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN
    | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4
  /// WebKit's limit, in bytes of ASCII.
  private static let capacity = 2_048

  init() {
    idna = pcm_idna_open(UInt32(Self.options))
  }

  deinit {
    if let idna { pcm_idna_close(idna) }
  }

  /// Nil when the name is invalid: a character that no name has, broken punycode, mixed directionality, or a misplaced
  /// joiner. The result is lowercase.
  func ascii(_ name: String) -> String? {
    guard let idna else { return nil }
    var name = name
    return name.withUTF8 { name in
      var errors: UInt32 = 0
      let ascii = [CChar](unsafeUninitializedCapacity: Self.capacity) { ascii, count in
        let written = name.withMemoryRebound(to: CChar.self) { name in
          pcm_idna_to_ascii(
            idna, name.baseAddress, Int32(name.count), ascii.baseAddress, Int32(ascii.count), &errors)
        }
        count = max(0, Int(written))
      }
      guard !ascii.isEmpty, errors & ~UInt32(Self.acceptedErrors) == 0 else { return nil }
      return String(decoding: ascii.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }
}
