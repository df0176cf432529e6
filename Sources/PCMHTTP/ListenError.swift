import Foundation
import NIOCore

/// The reason why a server cannot listen at its address.
package enum ListenError: Error, Hashable, Sendable {
  case portInUse(Int)
  /// The port is reserved for privileged processes.
  case portNotPermitted(Int)
  case addressNotLocal(String)
  case hostUnknown(String)
  /// The system gives another reason, with this code.
  case refused(host: String, port: Int, code: Int32)

  /// Creates the error for an error of a server's start; nil for any other error.
  package init?(_ error: any Error, host: String, port: Int) {
    switch error {
    case let error as IOError:
      switch error.errnoCode {
      case EADDRINUSE: self = .portInUse(port)
      case EACCES, EPERM: self = .portNotPermitted(port)
      case EADDRNOTAVAIL: self = .addressNotLocal(host)
      default: self = .refused(host: host, port: port, code: error.errnoCode)
      }
    case is SocketAddressError.UnknownHost: self = .hostUnknown(host)
    default: return nil
    }
  }

  /// A sentence about the cause, and one about the options that help.
  package var detail: String {
    switch self {
    case .portInUse(let port): "Port \(port) is in use. Choose another with --port, or 0 for any free port."
    case .portNotPermitted(let port):
      "Port \(port) is reserved for privileged processes. Choose one from 1024 on with --port, or 0 for any free port."
    case .addressNotLocal(let host):
      "\(host) is not an address of this machine. Choose one that is with --host, such as 127.0.0.1."
    case .hostUnknown(let host): "The host name \(host) has no address. Choose an address of this machine with --host."
    case .refused(let host, let port, let code):
      "Cannot listen on \(host), port \(port): \(String(cString: strerror(code))). \(Self.remedy(for: code))"
    }
  }

  private static func remedy(for code: Int32) -> String {
    switch code {
    case EMFILE, ENFILE: "Raise the limit on open files with ulimit -n."
    case ENOBUFS, ENOMEM: "End other processes to free memory."
    default: "Choose another address with --host, such as 127.0.0.1, or another port with --port."
    }
  }
}

/// Runs a server and throws ``ListenError`` when it cannot listen.
func listening(on host: String, port: Int, _ run: () async throws -> Void) async throws {
  do {
    try await run()
  } catch {
    throw ListenError(error, host: host, port: port) ?? error
  }
}
