import PCMCore
import PCMPages

extension DecodedSignature {
  /// Reads a postback of AdAttributionKit, whose body contains a JSON Web Signature; nil for another body.
  init?(in body: String) {
    let parts = JSON(parsing: Array(body.utf8))?["jws-string"]?.string?.split(separator: ".") ?? []
    let texts = parts.prefix(2).compactMap { part in
      Base64URL.decode(String(part)).flatMap { JSON(parsing: $0) }.map { IndentedJSON.text($0) }
    }
    guard texts.count == 2 else { return nil }
    self.init(header: texts[0], payload: texts[1])
  }
}
