internal import Foundation
internal import PCMCore
package import PCMCrypto

/// The files in `Fixtures/device`.
package enum DeviceFixtures {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/device")

  package static func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: folder.appendingPathComponent(name)))
  }

  package static func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

  package static func names(in name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(name).path).sorted()
  }

  package static func privateKey(_ name: String) throws -> PrivateKey {
    try PrivateKey(pem: text("keys/\(name).private.pem"))
  }

  package static func publicKey(_ file: String) throws -> NamedKey {
    NamedKey(name: file, use: "a test key", key: try PublicKey(file: bytes("keys/\(file)")))
  }

  /// The key with which the tests sign postbacks of a version.
  package static func skadnetworkKey(_ version: SKAdNetworkVersion) throws -> PrivateKey {
    try privateKey(version.postbackCurve == .p192 ? "skadnetwork-p192" : "skadnetwork-p256")
  }
}
