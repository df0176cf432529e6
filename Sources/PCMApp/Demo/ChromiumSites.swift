/// How Chromium reaches the demo's sites.
struct ChromiumSites {
  let port: Int
  /// The digest of the public key of the sites' certificate.
  let keyDigest: String

  /// Other hosts, such as the service's, are unchanged. The certificate is accepted by its key, so that caching and
  /// service workers work as with a trusted certificate.
  var switches: [String] {
    ["--host-resolver-rules=MAP *.example 127.0.0.1:\(port)", "--ignore-certificate-errors-spki-list=\(keyDigest)"]
  }
}
