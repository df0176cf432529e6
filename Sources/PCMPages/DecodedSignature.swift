/// The header and the payload of a JSON Web Signature, as indented JSON.
package struct DecodedSignature: Hashable, Sendable {
  private let header: String
  private let payload: String

  package init(header: String, payload: String) {
    self.header = header
    self.payload = payload
  }

  var markup: Markup {
    "<p class=\"soft step\">JSON Web Signature, decoded: header and payload</p><pre>\(header)</pre><pre>\(payload)</pre>"
  }
}
