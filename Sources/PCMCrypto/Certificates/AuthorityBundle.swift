import Foundation
import SwiftASN1

/// Certificate authorities in PEM format.
package enum AuthorityBundle {
  /// The reason a client cannot use a file.
  package enum ReadError: Error, Hashable {
    /// The file is a certificate in DER form.
    case isDER
    case hasNoCertificate
    /// A certificate is invalid. The associated value is its position in the file, starting at 1.
    case unreadable(Int)
  }

  /// Checks that the file contains certificates and that all of them are valid. OpenSSL rejects a file with an invalid
  /// certificate.
  package static func check(_ bytes: [UInt8]) throws(ReadError) {
    let certificates = certificates(in: String(decoding: bytes, as: UTF8.self))
    guard !certificates.isEmpty else {
      throw bytes.first == 0x30 && (try? DER.parse(bytes)) != nil ? .isDER : .hasNoCertificate
    }
    for (index, certificate) in certificates.enumerated() where !isReadable(certificate) { throw .unreadable(index + 1) }
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
    // A certificate without an end marker.
    if let (label, lines) = open { blocks.append(Block(label: label, base64: lines.joined() + "…")) }
    return blocks
  }

  private static func isReadable(_ block: Block) -> Bool {
    let base64 = block.base64.filter { !$0.isWhitespace }
    guard let data = Data(base64Encoded: base64), data.first == 0x30 else { return false }
    // The trust settings follow a trusted certificate.
    return block.label.hasPrefix("TRUSTED") || (try? DER.parse(Array(data))) != nil
  }
}
