#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A locale whose text is UTF-8, for the one function of libcurl that asks the thread's locale for the character set.
///
/// A Swift program runs in the C locale unless somebody calls `setlocale`, which changes the whole process under every
/// other thread's feet. A locale of this kind is put on one thread for the length of one call.
///
/// `@unchecked Sendable`: the locale is never changed after it was made, and POSIX lets any number of threads use one.
final class UTF8Locale: @unchecked Sendable {
  private let locale: locale_t?

  /// The first is everywhere on Linux, the others on a Mac.
  private static let names = ["C.UTF-8", "en_US.UTF-8", "UTF-8"]

  /// Nil inside when the system has no such locale; names outside ASCII are then refused.
  init() {
    // Not a lazy map: that runs its body several times an element, and each run would make a locale that nobody frees.
    for name in Self.names {
      if let locale = newlocale(LC_CTYPE_MASK, name, nil) {
        self.locale = locale
        return
      }
    }
    locale = nil
  }

  deinit {
    if let locale { freelocale(locale) }
  }

  /// The body must not suspend; it cannot, being synchronous, so the thread is the same before and after it.
  func use<Value>(_ body: () -> Value) -> Value {
    guard let locale else { return body() }
    let previous = uselocale(locale)
    defer { uselocale(previous) }
    return body()
  }
}
