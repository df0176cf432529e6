import Foundation
package import PCMCore
package import PCMCrypto

/// A temporary certificate authority with its certificate in a PEM file for clients to trust. The file is removed with the
/// object.
package final class TestAuthority: Sendable {
  /// The authority's certificate, for `--ca-file` and its like.
  package let certificateFile: String
  private let folder: String
  private let authority: CertificateAuthority

  /// - Parameters:
  ///   - name: The common name.
  ///   - validity: The validity of the authority and its certificates. Clients compare it with the real time.
  /// - Throws: When the certificate cannot be created or written.
  package init(name: String = "Test authority", validity: Range<Instant> = TestAuthority.longValidity) throws {
    authority = try CertificateAuthority(name: name, validity: validity)
    folder = FileManager.default.temporaryDirectory.path + "/pcm-test-authority-\(UUID().uuidString)"
    certificateFile = folder + "/authority.pem"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try authority.pem.write(toFile: certificateFile, atomically: true, encoding: .utf8)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Issues a server's certificate for names and addresses, with a separate key.
  ///
  /// - Parameters:
  ///   - validity: the authority's own by default.
  ///   - hasAlternativeNames: whether the names are in a subjectAltName, and not only the first as the common name.
  package func issue(
    names: [String], validity: Range<Instant>? = nil, hasAlternativeNames: Bool = true
  ) throws -> ServerIdentity {
    try authority.issue(for: names, validity: validity, hasAlternativeNames: hasAlternativeNames)
  }

  /// 2019 to 2090: valid whenever the tests run, and the same in every run. It begins before Apple's limits of July 2019.
  package static let longValidity = Instant(milliseconds: 1_546_300_800_000)..<Instant(milliseconds: 3_786_912_000_000)
}
