#if canImport(Glibc)
  import Dispatch
  import Glibc
  import NIOConcurrencyHelpers

  /// Names that resolve to the addresses that a test needs, without a network.
  ///
  /// A `resolve` entry does not suffice: it permits the address, which lifts the guard.
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

    /// Names whose lookups hang.
    fileprivate static let hanging = NIOLockedValueBox<[String: HangingLookup]>([:])

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

  /// A lookup that does not end before it is released. Each has its own name.
  final class HangingLookup: Sendable {
    let name: String
    private let begun: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation
    private let end = DispatchSemaphore(value: 0)
    private let hangs = NIOLockedValueBox(false)

    init(_ name: String) {
      self.name = name
      (begun, begin) = AsyncStream.makeStream()
      Lookup.hanging.withLockedValue { $0[name] = self }
    }

    /// Returns when the lookup hangs.
    func hasBegun() async {
      for await _ in begun { return }
    }

    var isHanging: Bool { hangs.withLockedValue { $0 } }

    func release() {
      Lookup.hanging.withLockedValue { $0[name] = nil }
      end.signal()
    }

    fileprivate func hang() {
      hangs.withLockedValue { $0 = true }
      begin.yield()
      // The limit is reached only in a failing test, in which something waits for the lookup.
      _ = end.wait(timeout: .now() + .seconds(60))
      hangs.withLockedValue { $0 = false }
    }
  }

  /// Stands before the C library's function of this name in every library of the test process, libcurl among them, and
  /// answers like it: only the names above are exchanged for the addresses beside them, and some hang.
  @_cdecl("getaddrinfo")
  func lookUpName(
    _ name: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?, _ hints: UnsafePointer<addrinfo>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
  ) -> Int32 {
    guard let system = Lookup.system else { return EAI_FAIL }
    guard let text = name.map({ String(cString: $0) }) else { return system(name, service, hints, result) }
    if let lookup = Lookup.hanging.withLockedValue({ $0[text] }) {
      lookup.hang()
      return EAI_AGAIN
    }
    guard let address = Lookup.names[text] else { return system(name, service, hints, result) }
    return system(address, service, hints, result)
  }
#endif
