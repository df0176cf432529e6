#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A reserved port on 127.0.0.1 without a server.
package final class QuietPort: Sendable {
  package let number: Int
  private let descriptor: Int32

  package enum Behavior: Sendable {
    /// Connections are refused.
    case refusing
    /// Connections are accepted by the kernel, and then nothing is said on them.
    case silent
  }

  /// Nil when the system has no socket or no port left.
  package init?(_ behavior: Behavior) {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let status = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
          && (behavior == .refusing || listen(descriptor, 128) == 0)
      }
    }
    number = Int(UInt16(bigEndian: address.sin_port))
    guard status else { return nil }
  }

  deinit { close(descriptor) }
}
