internal import PCMCore

/// JSON Web Keys of elliptic curves (RFC 7517, and RFC 7518, section 6.2).
enum JSONWebKey {
  /// Returns the key of an object, or the keys of a set that can verify signatures here.
  static func keys(_ text: String) throws(KeyError) -> [(name: String?, key: PublicKey)] {
    guard let value = JSON(parsing: Array(text.utf8), keepingNumbers: true) else { throw .malformedJWK("it is not JSON") }
    let set: [JSON]? = if case .array(let items) = value { items } else { value["keys"]?.items }
    guard let set else { return [try key(value)] }
    let usable = set.filter { $0["kty"] == "EC" && curve($0) != nil }
    guard !usable.isEmpty else { throw .malformedJWK("the set has no key with the kty \"EC\" and the crv \"P-256\"") }
    var keys: [(name: String?, key: PublicKey)] = []
    for item in usable { keys.append(try key(item)) }
    return keys
  }

  private static func key(_ value: JSON) throws(KeyError) -> (name: String?, key: PublicKey) {
    guard value["kty"] == "EC" else { throw .malformedJWK("kty is \(shown(value["kty"])); it must be \"EC\"") }
    guard value["d"] == nil else { throw .privateJWK }
    guard let curve = curve(value) else {
      throw .malformedJWK("crv is \(shown(value["crv"])); it must be \"P-256\" or \"P-192\"")
    }
    var point: [UInt8] = [4]
    for name in ["x", "y"] {
      guard let text = value[name]?.string, let bytes = Base64URL.decode(text) ?? Base64.decode(text),
        bytes.count == curve.byteCount
      else { throw .malformedJWK("\(name) is not \(curve.byteCount) bytes in Base64URL") }
      point += bytes
    }
    return (value["kid"]?.string?.asShown(upTo: 60), try PublicKey(point: point, on: curve))
  }

  private static func curve(_ value: JSON) -> Curve? { value["crv"]?.string.flatMap(Curve.init) }

  private static func shown(_ value: JSON?) -> String { value?.text.asShown(upTo: 40) ?? "missing" }
}
