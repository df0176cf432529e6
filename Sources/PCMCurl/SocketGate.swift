import CCurl
import PCMDelivery

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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
  return pcm_open_socket(address)
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
