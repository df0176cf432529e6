/// The ways in which a site may write its token public key; all of them stand for the same scheme (reference, section 8.1).
package enum TokenKeyForm: Hashable, Sendable, CaseIterable {
  /// id-RSASSA-PSS with SHA-384 named without parameters: what browsers of today expect.
  case rsassaPSS
  /// The same with a NULL behind the names of the hash, as OpenSSL writes it. RFC 4055, section 2.1, has readers accept
  /// both; whether Safari does is not established.
  case rsassaPSSWithNull
  /// rsaEncryption, which names no scheme: what browsers of older systems expected.
  case rsaEncryption
}
