import SwiftASN1

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A PEM file of certificate authorities.
enum CertificateFile {
  /// Far more than any system's bundle has.
  private static let sizeLimit = 16_777_216

  /// Checks that a file has certificates and that all of them can be read: with one that cannot, OpenSSL refuses the file.
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
    let certificates = certificates(in: String(decoding: bytes, as: UTF8.self))
    guard !certificates.isEmpty else {
      let isDER = bytes.first == 0x30 && (try? DER.parse(bytes)) != nil
      throw StartFailure(
        description: isDER
          ? "The file is in DER form; convert it with openssl x509 -inform der -in \(path) -out ca.pem."
          : "The file has no certificate.")
    }
    for (index, certificate) in certificates.enumerated() where !isReadable(certificate) {
      throw StartFailure(description: "Certificate \(index + 1) of the file cannot be read.")
    }
  }

  private struct Block {
    let label: Substring
    let base64: String
  }

  private static func certificates(in text: String) -> [Block] {
    var blocks: [Block] = []
    var open: (label: Substring, lines: [Substring])?
    for line in text.split(whereSeparator: \.isNewline) {
      if let match = line.prefixMatch(of: /-----(BEGIN|END) ((?:TRUSTED |X509 )?CERTIFICATE)-----/) {
        if match.output.1 == "BEGIN" {
          open = (match.output.2, [])
        } else if let (label, lines) = open {
          blocks.append(Block(label: label, base64: lines.joined()))
          open = nil
        }
      } else {
        open?.lines.append(line)
      }
    }
    // A certificate without its end.
    if let (label, lines) = open { blocks.append(Block(label: label, base64: lines.joined() + "…")) }
    return blocks
  }

  private static func isReadable(_ block: Block) -> Bool {
    let base64 = block.base64.filter { !$0.isWhitespace }
    guard let data = Data(base64Encoded: base64), data.first == 0x30 else { return false }
    // A trusted certificate is followed by what it is trusted for.
    return block.label.hasPrefix("TRUSTED") || (try? DER.parse(Array(data))) != nil
  }
}
