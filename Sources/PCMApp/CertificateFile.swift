import PCMCertificates

/// A PEM file of certificate authorities.
enum CertificateFile {
  /// Far more than any system's bundle has.
  private static let sizeLimit = 16_777_216

  /// Checks that a client can trust what is in a file.
  ///
  /// - Throws: ``StartFailure`` with a sentence about the cause alone.
  static func check(_ path: String) throws(StartFailure) {
    guard !path.isEmpty else { throw StartFailure(description: "The path is empty.") }
    guard !TextFile.exists(path + "/.") else { throw StartFailure(description: "It is a directory.") }
    let bytes: [UInt8]
    do throws(StartFailure) {
      bytes = try TextFile.bytes(of: path, upTo: sizeLimit)
    } catch {
      throw StartFailure(description: error.description.prefix(1).uppercased() + error.description.dropFirst() + ".")
    }
    do throws(AuthorityBundle.Fault) {
      try AuthorityBundle.check(bytes)
    } catch {
      throw StartFailure(description: error.sentence(path))
    }
  }
}

extension AuthorityBundle.Fault {
  fileprivate func sentence(_ path: String) -> String {
    switch self {
    case .isDER: "The file is in DER form; convert it with openssl x509 -inform der -in \(path) -out ca.pem."
    case .hasNoCertificate: "The file has no certificate."
    case .unreadable(let number): "Certificate \(number) of the file cannot be read."
    }
  }
}
