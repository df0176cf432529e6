/// The body of a request to a postback endpoint, with a name for the evidence.
struct PostbackBody: Hashable, Sendable {
  /// The end of a sentence's subject: `an Apple-signed postback of 4.0`.
  let name: String
  let bytes: [UInt8]
  /// Parsers report the body as an error, for which frameworks such as Flask return 500.
  let mayBeServerError: Bool

  init(_ name: String, _ bytes: [UInt8], mayBeServerError: Bool = false) {
    self.name = name
    self.bytes = bytes
    self.mayBeServerError = mayBeServerError
  }

  init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }

  /// Bodies that are not postbacks of either framework.
  static let shapeless: [PostbackBody] = MalformedBody.shapeless.map { body in
    PostbackBody("a body that is \(body.name)", body.bytes, mayBeServerError: body.exemption == .mayBeServerError)
  }

  static let oversized = PostbackBody("a body of 1 MiB", MalformedBody.oversized)
}
