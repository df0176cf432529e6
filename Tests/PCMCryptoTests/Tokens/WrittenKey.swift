/// One DER value, written without the library that reads it.
func der(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
  let content = parts.flatMap { $0 }
  let length: [UInt8]
  switch content.count {
  case 0..<0x80: length = [UInt8(content.count)]
  case 0x80..<0x100: length = [0x81, UInt8(content.count)]
  default: length = [0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
  }
  return [tag] + length + content
}

/// A SubjectPublicKeyInfo in parts, so that each can be wrong on its own.
struct WrittenKey {
  static let null: [UInt8] = [0x05, 0x00]
  static let rsaEncryption = der(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01])
  static let rsassaPSS = der(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A])
  static let rsaesOAEP = der(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x07])
  static let mgf1 = der(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x08])
  static let sha384 = der(0x06, [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02])
  static let sha256 = der(0x06, [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01])

  var algorithm = Self.rsassaPSS
  var hash = der(0xA0, der(0x30, Self.sha384))
  var mask = der(0xA1, der(0x30, Self.mgf1, der(0x30, Self.sha384)))
  var salt = der(0xA2, der(0x02, [48]))
  var trailer: [UInt8] = []
  /// Replaces hash, mask, salt and trailer.
  var parameters: [UInt8]?
  var modulus = WrittenKey.modulus(bits: 2048)
  var exponent: [UInt8] = [0x01, 0x00, 0x01]
  /// Behind the exponent, within the RSAPublicKey.
  var more: [UInt8] = []

  init(_ change: (inout WrittenKey) -> Void = { _ in }) {
    change(&self)
  }

  var spki: [UInt8] {
    let parameters = parameters ?? der(0x30, hash, mask, salt, trailer)
    return der(0x30, der(0x30, algorithm, parameters), der(0x03, [0], der(0x30, integer(modulus), integer(exponent), more)))
  }

  /// An odd number with the highest bit set, and no prime factors that anybody knows: enough to be read.
  static func modulus(bits: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0x5B, count: (bits + 7) / 8)
    bytes[0] = 1 << UInt8((bits - 1) % 8)
    return bytes
  }

  /// A positive INTEGER.
  private func integer(_ bytes: [UInt8]) -> [UInt8] {
    der(0x02, (bytes.first ?? 0) >= 0x80 ? [0] + bytes : bytes)
  }
}
