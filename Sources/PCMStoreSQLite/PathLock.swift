import NIOConcurrencyHelpers
import PCMStore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A lock on the path of a file. It complements ``OwnerLock``, which locks the file itself: a folder that was removed and
/// created again has another owner file, although the process that uses the removed one still runs.
///
/// On Linux, it is the name of an abstract Unix socket that listens. The kernel releases it however the process ends, and it leaves no
/// file. Containers that share a network have equal paths for different folders, so the name contains the mount namespace. It
/// does not contain the user: two users cannot use one file either. On other systems, there is no such lock.
struct PathLock: Sendable {
  private let descriptor: NIOLockedValueBox<Int32>

  /// - Parameters:
  ///   - path: The path of the file without symbolic links.
  ///   - user: The identifier of the user.
  ///   - listen: The system call, which fails where the process may not listen.
  /// - Throws: `StoreError.unavailable` when another store has the lock.
  init(
    path: String, user: UInt32 = getuid(), listen: (_ descriptor: Int32) -> Int32 = { listen($0, SOMAXCONN) }
  ) throws(StoreError) {
    #if os(Linux)
      descriptor = NIOLockedValueBox(try Self.reserve(Self.name(of: path), path: path, user: user, listen))
    #else
      descriptor = NIOLockedValueBox(-1)
    #endif
  }

  static func inUse(_ path: String) -> StoreError {
    .unavailable("\(path) is in use: one process at a time may open it")
  }

  func release() {
    descriptor.withLockedValue { descriptor in
      #if os(Linux)
        if descriptor >= 0 {
          shutdown(descriptor, Int32(SHUT_RDWR))
          close(descriptor)
        }
      #endif
      descriptor = -1
    }
  }
}

#if os(Linux)
  extension PathLock {
    private static func name(of path: String) -> String {
      let places = ["/proc/self/ns/mnt", "/"].map { FileStatus($0)?.identity.description ?? "" }
      // FNV-1a, because a name has at most 107 bytes.
      let digest = (places + [path]).joined(separator: "\n").utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
        (hash ^ UInt64(byte)) &* 0x100_0000_01B3
      }
      return "pcm-browser-\(String(digest, radix: 16))"
    }

    /// Returns a socket with the name, or -1 when there are no such sockets.
    ///
    /// A process that starts another one shares its sockets with it for an instant, so a released name can still be taken.
    /// Its socket no longer listens then, and the call waits.
    private static func reserve(
      _ name: String, path: String, user: UInt32, _ listen: (_ descriptor: Int32) -> Int32
    ) throws(StoreError) -> Int32 {
      for _ in 0..<1_000 {
        let descriptor = newSocket()
        guard descriptor >= 0 else { return -1 }
        if withAddress(name, { bind(descriptor, $0, $1) }) == 0 {
          if listen(descriptor) == 0 { return descriptor }
          close(descriptor)
          return -1
        }
        defer { close(descriptor) }
        guard errno == EADDRINUSE else { return -1 }
        if withAddress(name, { connect(descriptor, $0, $1) }) == 0 { throw inUse(path, by: Owner(of: descriptor), user: user) }
        guard errno == ECONNREFUSED else { break }
        usleep(5_000)
      }
      throw inUse(path)
    }

    /// The process that has a lock.
    private struct Owner {
      let process: Int32
      let user: UInt32

      /// - Parameter descriptor: A socket that is connected to that of the lock.
      init?(of descriptor: Int32) {
        // The members of `struct ucred`.
        var members: (process: Int32, user: UInt32, group: UInt32) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: members))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &members, &size) == 0 else { return nil }
        (process, user, _) = members
      }
    }

    /// Any user can compute the name, and take it by mistake or on purpose. The caller cannot end a process of another user.
    private static func inUse(_ path: String, by owner: Owner?, user: UInt32) -> StoreError {
      guard let owner, owner.user != user else { return inUse(path) }
      // A process of another container has no number here.
      let process = owner.process > 0 ? "process \(owner.process)" : "a process"
      return .unavailable("\(path) is in use by \(process) of another user (\(owner.user)); it has to end first")
    }

    private static func newSocket() -> Int32 {
      #if canImport(Musl)
        let kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK
      #else
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      #endif
      return socket(AF_UNIX, kind, 0)
    }

    private static func withAddress<Result>(
      _ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      // An abstract name begins with a byte 0.
      withUnsafeMutableBytes(of: &address.sun_path) { path in
        UnsafeMutableRawBufferPointer(rebasing: path[1...]).copyBytes(from: name.utf8)
      }
      let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
      }
    }
  }
#endif
