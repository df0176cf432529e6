import Crypto
import PCMCore

/// The hash by which a content security policy allows a style or script in a document.
package enum PageHash {
  /// Returns the SHA-256 of a text in base64.
  package static func sha256(_ text: String) -> String {
    Base64.encode(Array(SHA256.hash(data: Array(text.utf8))))
  }
}
