import CCurl
import Foundation
import PCMNetwork

/// A check of each address before a transfer connects to it. Only the address at that moment matters: URLs can write
/// `127.0.0.1` in many ways, and the owner of a name can point it anywhere.
enum SocketGate {
  case open
  /// Admits only public addresses. The first rejected address is kept for the record.
  case publicOnly(rejected: String?)

  mutating func admits(_ bytes: [UInt8], text: @autoclosure () -> String) -> Bool {
    guard case .publicOnly(let earlier) = self, let kind = SpecialAddress(bytes: bytes) else { return true }
    if earlier == nil { self = .publicOnly(rejected: "\(text()) is \(kind.rawValue) address") }
    return false
  }

  var rejected: String? {
    guard case .publicOnly(let rejected) = self else { return nil }
    return rejected
  }
}

/// libcurl's `curl_opensocket_callback`. Returns a socket for an address, or an error, after which libcurl tries the name's
/// next address.
func openVettedSocket(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let context, let address, let socketAddress = pcm_socket_address(address) else { return -1 }
  let handle = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
  let length = Int(address.pointee.addrlen)
  guard handle.vet(addressBytes(socketAddress), text: addressText(socketAddress, length)) else { return -1 }
  let socket = pcm_open_socket(address)
  handle.opened(socket)
  return socket
}

/// A socket that was opened. libcurl may have closed it since, and its number may belong to another file.
struct OpenedSocket {
  let descriptor: Int32
  private let number: UInt64

  /// - Returns: nil when the descriptor denotes no file.
  init?(_ descriptor: Int32) {
    guard let number = Self.number(descriptor) else { return nil }
    self.descriptor = descriptor
    self.number = number
  }

  /// Whether it is still open and connected.
  var isConnected: Bool {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout.size(ofValue: address))
    let status = withUnsafeMutableBytes(of: &address) { bytes in
      getpeername(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
    }
    return status == 0 && Self.number(descriptor) == number
  }

  private static func number(_ descriptor: Int32) -> UInt64? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
  }
}

/// Returns the address in network byte order. It is empty for families other than IPv4 and IPv6, which only an open gate
/// admits.
private func addressBytes(_ address: UnsafePointer<sockaddr>) -> [UInt8] {
  let raw = UnsafeRawPointer(address)
  switch Int32(address.pointee.sa_family) {
  case AF_INET:
    return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
  case AF_INET6:
    return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
  default: return []
  }
}

private func addressText(_ address: UnsafePointer<sockaddr>, _ length: Int) -> String {
  var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
  let status = getnameinfo(address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
  guard status == 0 else { return "an address of family \(address.pointee.sa_family)" }
  return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
}
