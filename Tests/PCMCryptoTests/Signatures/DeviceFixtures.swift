import Foundation
import PCMCore
import PCMCrypto
import Testing

/// The files in `Fixtures/device`.
enum DeviceFixtures {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/device")

  static func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: folder.appendingPathComponent(name)))
  }

  static func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

  static func names(in name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(name).path).sorted()
  }

  static func privateKey(_ name: String) throws -> PrivateKey {
    try PrivateKey(pem: text("keys/\(name).private.pem"))
  }

  static func publicKey(_ file: String) throws -> NamedKey {
    NamedKey(name: file, use: "a test key", key: try PublicKey(file: bytes("keys/\(file)")))
  }

  /// The key with which the tests sign postbacks of a version.
  static func skadnetworkKey(_ version: SKAdNetworkVersion) throws -> PrivateKey {
    try privateKey(version.postbackCurve == .p192 ? "skadnetwork-p192" : "skadnetwork-p256")
  }

  /// A verifier with the public half of that key.
  static func verifier(_ version: SKAdNetworkVersion) throws -> SignatureVerifier {
    let name = version.postbackCurve == .p192 ? "skadnetwork-p192" : "skadnetwork-p256"
    return try SignatureVerifier(.given([publicKey("\(name).public.pem")]))
  }

  /// A verifier with the public key of the tests' ad network.
  static func adNetworkVerifier() throws -> SignatureVerifier {
    try SignatureVerifier(.given([publicKey("ad-network.public.pem")]))
  }
}

/// A row of `vectors.json`.
struct DeviceVector: Decodable, Sendable, CustomTestStringConvertible {
  let name, file, framework, subject, verdict, origin: String
  let version, key, keyFile, signedText: String?
  let faults: [String]

  var testDescription: String { name }

  static let all: [DeviceVector] = {
    let rows = try? JSONDecoder().decode([DeviceVector].self, from: Data(DeviceFixtures.bytes("vectors.json")))
    return rows ?? []
  }()

  func verifier() throws -> SignatureVerifier {
    guard let keyFile else { return try SignatureVerifier(.apple) }
    let name = keyFile.replacing("keys/", with: "")
    return try SignatureVerifier(.given([DeviceFixtures.publicKey(name)]))
  }
}
