internal import PCMCore

extension PublicKey {
  /// The maximum size of a key file in bytes.
  package static let fileLimit = 16_384

  /// Reads a file with one public key: a SubjectPublicKeyInfo as PEM, Base64, or DER, a JSON Web Key, or a point as bytes,
  /// Base64, or hexadecimal text.
  package init(file bytes: [UInt8]) throws(KeyError) {
    let keys = try Self.keys(file: bytes)
    guard keys.count == 1 else { throw .severalKeys(keys.map { $0.name ?? "without kid" }) }
    self = keys[0].key
  }

  /// Reads a file with one public key, or with a JSON Web Key Set.
  ///
  /// - Returns: The keys, with the names of JSON Web Keys.
  package static func keys(file bytes: [UInt8]) throws(KeyError) -> [(name: String?, key: PublicKey)] {
    guard bytes.count <= fileLimit else { throw .tooLarge(limit: fileLimit) }
    guard let text = text(bytes) else { return [(nil, try PublicKey(structureOrPoint: bytes))] }
    let trimmed = bare(text)
    guard !trimmed.isEmpty else { throw .empty }
    if trimmed.hasPrefix("{") || trimmed.hasPrefix("[") { return try JSONWebKey.keys(trimmed) }
    if trimmed.contains("-----BEGIN") {
      return [(nil, try PublicKey(spki: PEMBlock.content(of: trimmed, label: "PUBLIC KEY")))]
    }
    guard !["ssh-", "ecdsa-sha2-"].contains(where: trimmed.hasPrefix) else { throw .openSSHKey }
    return [(nil, try PublicKey(encoded: String(trimmed.filter { !$0.isWhitespace })))]
  }

  /// Returns a text without white space and quotation marks around it. Decodes the escapes of a JSON string.
  private static func bare(_ text: String) -> String {
    let trimmed = trimmed(text)
    guard trimmed.count > 1, let first = trimmed.first, trimmed.last == first, "\"'`".contains(first) else { return trimmed }
    return Self.trimmed(JSON(parsing: Array(trimmed.utf8))?.string ?? String(trimmed.dropFirst().dropLast()))
  }

  private static func trimmed(_ text: String) -> String {
    let rest = text.drop(while: \.isWhitespace)
    return String(rest[..<(rest.lastIndex { !$0.isWhitespace }.map(rest.index(after:)) ?? rest.startIndex)])
  }

  /// The text of a file; nil for DER, which has control characters.
  private static func text(_ bytes: [UInt8]) -> String? {
    let rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    guard let text = String(validating: rest, as: UTF8.self) else { return nil }
    let isText = text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" || $0 == "\r" || $0 == "\t" }
    return isText ? text : nil
  }

  /// Reads a SubjectPublicKeyInfo or an uncompressed point in Base64, Base64URL, or hexadecimal.
  private init(encoded text: String) throws(KeyError) {
    guard let bytes = Hexadecimal.bytes(text, atLeast: 32) ?? Base64.decode(text) ?? Base64URL.decode(text) else {
      throw .notBase64
    }
    try self.init(structureOrPoint: Array(bytes))
  }

  private init(structureOrPoint bytes: [UInt8]) throws(KeyError) {
    let isCompressed = bytes.first == 2 || bytes.first == 3
    guard !isCompressed || !Curve.allCases.contains(where: { bytes.count == 1 + $0.byteCount }) else { throw .compressedPoint }
    let curve = Curve.allCases.first { bytes.count == 1 + 2 * $0.byteCount && bytes.first == 4 }
    guard let curve else {
      try self.init(spki: bytes)
      return
    }
    try self.init(point: bytes, on: curve)
  }

  /// - Parameter point: The byte 4 and both coordinates.
  init(point: [UInt8], on curve: Curve) throws(KeyError) {
    try self.init(spki: curve.subjectPublicKeyInfo(point))
  }
}

extension Curve {
  /// The SubjectPublicKeyInfo of a point (RFC 5480).
  func subjectPublicKeyInfo(_ point: [UInt8]) -> [UInt8] {
    let identifier: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, self == .p192 ? 0x01 : 0x07]
    let algorithm = [0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01] + identifier
    let bits = [0x03, UInt8(point.count + 1), 0x00] + point
    return [0x30, UInt8(algorithm.count + bits.count)] + algorithm + bits
  }
}
