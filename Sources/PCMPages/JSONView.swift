import PCMCore

/// The parts of the API's JSON that the views read, and their display.
extension JSON {
  /// The value with text that is JSON already parsed.
  var parsed: JSON {
    guard case .verbatim(let text) = self else { return self }
    return JSON(parsing: Array(text.utf8), keepingNumbers: true) ?? self
  }

  /// Returns the text of the member with this name, or empty text.
  func text(of name: String) -> String { self[name]?.string ?? "" }

  /// Returns the time of the member with this name, or nil.
  func instant(of name: String) -> Instant? { self[name]?.string.flatMap { Instant(text: $0) } }

  /// JSON for people: one member in each line.
  var indented: String { parsed.indented("") }

  private func indented(_ indentation: String) -> String {
    let inner = indentation + "  "
    switch self {
    case .object(let members) where !members.isEmpty:
      let lines = members.map { "\(inner)\(JSON.string($0.name).text): \($0.value.indented(inner))" }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indentation)}"
    case .array(let items) where !items.isEmpty:
      return "[\n\(items.map { inner + $0.indented(inner) }.joined(separator: ",\n"))\n\(indentation)]"
    default: return text
    }
  }
}

extension Markup {
  /// The decoded payload of a postback of AdAttributionKit; nil for another body.
  static func payload(in body: JSON) -> JSON? {
    let part = body["jws-string"]?.string?.split(separator: ".").dropFirst().first
    return part.flatMap { Base64URL.decode(String($0)) }.flatMap { JSON(parsing: $0) }
  }

  /// The decoded header and payload of a postback of AdAttributionKit, whose body contains a JSON Web Signature; empty for
  /// another body.
  static func decodedSignature(in body: String) -> Markup {
    let parts = JSON(parsing: Array(body.utf8))?["jws-string"]?.string?.split(separator: ".") ?? []
    let texts = parts.prefix(2).compactMap { Base64URL.decode(String($0)).flatMap { JSON(parsing: $0)?.indented } }
    guard texts.count == 2 else { return .none }
    return
      "<p class=\"soft step\">JSON Web Signature, decoded: header and payload</p><pre>\(texts[0])</pre><pre>\(texts[1])</pre>"
  }

  /// The text of a list whose filter selects nothing.
  ///
  /// - Parameter list: The identifier of the list, whose filters the button clears.
  static func noMatch(_ text: String, of list: String) -> Markup {
    """
    <div class="empty"><p>\(text)</p><button type="button" data-reset="\(list)" data-key="reset-\(list)">Show all</button></div>
    """
  }
}
