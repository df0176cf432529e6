/// Why a postback or an impression cannot be signed.
package enum SigningError: Error, Hashable, Sendable {
  case wrongCurve(Curve, expected: Curve)
  case key(KeyError)
  /// Values that no device sends; empty when the version has no place for a value.
  case invalid([Fault])
  /// An ad network has the identifier of a key of Apple.
  case reservedKeyIdentifier(String)
  /// Not an identifier in JSON Web Signatures.
  case unusedKeyIdentifier(String)

  /// A description for people.
  package var detail: String {
    switch self {
    case .wrongCurve(let curve, let expected): "The private key is on \(curve.rawValue); it must be on \(expected.rawValue)."
    case .key(let error): error.detail
    case .invalid(let faults):
      faults.isEmpty ? "The version has no member for one of the values." : faults.map(\.detail).joined(separator: " ")
    case .reservedKeyIdentifier(let identifier): "\"\(identifier)\" names a key of Apple."
    case .unusedKeyIdentifier(let identifier): "\"\(identifier)\" names no key of AdAttributionKit."
    }
  }
}
