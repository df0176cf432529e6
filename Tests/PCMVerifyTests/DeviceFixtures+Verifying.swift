import Foundation
import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

extension DeviceFixtures {
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
