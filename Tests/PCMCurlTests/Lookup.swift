#if canImport(Glibc)
  import Glibc

  /// Names that are looked up like any other and have the addresses that a test needs, without a network.
  ///
  /// A `resolve` entry would not do: it says that somebody wants the address, and lifts the guard.
  enum Lookup {
    static let names = [
      "loopback.lookup.test": "127.0.0.1",
      "metadata.lookup.test": "169.254.169.254",
      "mapped-loopback.lookup.test": "::ffff:127.0.0.1",
      "mapped-metadata.lookup.test": "::ffff:169.254.169.254",
      "translated.lookup.test": "64:ff9b::169.254.169.254",
      "private.lookup.test": "10.1.2.3",
      "unique-local.lookup.test": "fd00:ec2::254",
    ]

    fileprivate typealias Function =
      @convention(c) (
        UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<addrinfo>?,
        UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
      ) -> Int32

    /// The C library's own. The first argument is RTLD_NEXT, a macro that Swift does not see.
    fileprivate static let system: Function? = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "getaddrinfo").map {
      unsafeBitCast($0, to: Function.self)
    }
  }

  /// Stands before the C library's function of this name in every library of the test process, libcurl among them, and
  /// answers like it: only the names above are exchanged for the addresses beside them.
  @_cdecl("getaddrinfo")
  func lookUpName(
    _ name: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?, _ hints: UnsafePointer<addrinfo>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
  ) -> Int32 {
    guard let system = Lookup.system else { return EAI_FAIL }
    guard let address = name.flatMap({ Lookup.names[String(cString: $0)] }) else { return system(name, service, hints, result) }
    return system(address, service, hints, result)
  }
#endif
