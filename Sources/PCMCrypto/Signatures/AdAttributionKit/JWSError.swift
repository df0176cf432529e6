internal import PCMCore

/// The reason a text is not a JSON Web Signature of AdAttributionKit.
package enum JWSError: Error, Hashable, Sendable {
  case tooLarge(limit: Int)
  /// The text does not have three parts with content, separated by periods.
  case wrongPartCount(Int, empty: Int)
  case notBase64URL(Part)
  case notAnObject(Part)
  case missingAlgorithm
  /// - Parameter value: The value of `alg` as JSON.
  case wrongAlgorithm(String)
  /// A header with `crit`, which requires an extension.
  case criticalExtension
  case missingKeyIdentifier
  /// - Parameter isDER: Whether the bytes are a signature in DER.
  case wrongSignatureSize(Int, isDER: Bool)

  package enum Part: String, Hashable, Sendable {
    case header
    case payload
    case signature
  }

  /// The pointer of the part below the text; empty for the whole text.
  package var pointer: String {
    switch self {
    case .tooLarge, .wrongPartCount: ""
    case .notBase64URL(let part), .notAnObject(let part): "/\(part.rawValue)"
    case .missingAlgorithm, .wrongAlgorithm: "/header/alg"
    case .criticalExtension: "/header/crit"
    case .missingKeyIdentifier: "/header/kid"
    case .wrongSignatureSize: "/signature"
    }
  }

  /// A description for people.
  package var detail: String {
    switch self {
    case .tooLarge(let limit): "The JSON Web Signature has more than \(limit) bytes."
    case .wrongPartCount(let count, let empty):
      "A JSON Web Signature has three parts with content, separated by periods; this text has \(count)"
        + (empty == 0 ? "." : ", and \(empty) of them \(empty == 1 ? "is" : "are") empty.")
    case .notBase64URL(let part): "The \(part.rawValue) is not Base64URL without padding."
    case .notAnObject(let part):
      "The \(part.rawValue) is not a JSON object with distinct members and up to \(JSON.depthLimit) levels."
    case .missingAlgorithm: "The header has no alg; it must be \"ES256\"."
    case .wrongAlgorithm(let value): "alg is \(value.truncated(to: 60)); it must be \"ES256\"."
    case .criticalExtension: "The header has crit, which requires an extension that AdAttributionKit does not have."
    case .missingKeyIdentifier: "The header has no kid; it must be a string that names the key."
    case .wrongSignatureSize(let count, let isDER):
      "The signature has \(count) bytes; a signature with ES256 has 64, r and s with 32 bytes each"
        + (isDER ? "; these bytes are a signature in DER: write r and s without DER." : ".")
    }
  }
}
