import CCurl
import Foundation

/// The system's certificate authorities, for a libcurl that another system built: the libraries in the wheel and in the archive
/// look in Debian's place.
enum SystemAuthorities {
  /// The file to name to libcurl; nil when its own is there, or when the system has none.
  static let file: String? = file(ownFile: curl_version_info(CURLVERSION_SEVENTH).pointee.cainfo.map { String(cString: $0) }) {
    access($0, R_OK) == 0
  }

  /// Fedora's place, openSUSE's, and OpenSSL's default place, after Debian's.
  static let places = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
  ]

  static func file(ownFile: String?, isReadable: (String) -> Bool) -> String? {
    if let ownFile, isReadable(ownFile) { return nil }
    return places.first(where: isReadable)
  }
}
