/// The elliptic curves of the signatures.
package enum Curve: String, Hashable, Sendable, CaseIterable {
  /// NIST P-192, which OpenSSL calls prime192v1.
  case p192 = "P-192"
  /// NIST P-256, which OpenSSL calls prime256v1.
  case p256 = "P-256"

  /// The size of a coordinate in bytes.
  var byteCount: Int { self == .p192 ? 24 : 32 }
}
