import Foundation
import Subprocess
import SystemPackage
import Testing

/// OpenSSL's command line: an implementation that shares nothing with the tested one. Its files lie in a folder of one test.
package final class OpenSSLCommand {
  private let folder: URL

  package init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("pcm-tokens-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  package func write(_ bytes: [UInt8], _ name: String) throws {
    try Data(bytes).write(to: folder.appendingPathComponent(name))
  }

  package func write(_ text: String, _ name: String) throws { try write(Array(text.utf8), name) }

  /// Writes a public key as PEM text.
  package func write(spki: [UInt8], _ name: String) throws {
    let lines = Data(spki).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    try write("-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n", name)
  }

  package func read(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: folder.appendingPathComponent(name))) }

  package func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  package func text(_ name: String) throws -> String { String(decoding: try read(name), as: UTF8.self) }

  /// Whether the command ended well.
  package func succeeds(_ arguments: String) async throws -> Bool {
    try await Subprocess.run(
      .name("openssl"), arguments: Arguments(arguments.split(separator: " ").map(String.init)),
      workingDirectory: FilePath(folder.path), output: .discarded
    ).terminationStatus.isSuccess
  }

  package func run(_ arguments: String) async throws {
    let succeeded = try await succeeds(arguments)
    try #require(succeeded, "openssl \(arguments)")
  }

  /// Whether OpenSSL takes a signature over a message, by `public.pem`.
  package func verifies(_ signature: [UInt8], over message: [UInt8]) async throws -> Bool {
    try write(signature, "signature")
    try write(message, "message")
    return try await succeeds("dgst -sha384 -verify public.pem -signature signature \(Self.padding(salt: 48)) message")
  }

  package static func padding(salt: Int) -> String {
    "-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:\(salt) -sigopt rsa_mgf1_md:sha384"
  }
}
