import Crypto

/// SHA-256 of bytes.
package enum SHA256Digest {
  package static func bytes(of message: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: message)) }
}
