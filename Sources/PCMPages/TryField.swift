/// A field of a form that calls the API.
struct TryField: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case text
    /// A number that the script sends as one. Other text is sent as it is, so that the API explains what is wrong.
    case number
    case flag
    /// A value and its title. An empty value is left out of the request.
    case choice([Choice])
    case json
    /// An Info.plist as text or as a file.
    case manifest

    /// A choice of values that are their own titles.
    static func names(_ values: [String]) -> Kind { .choice(values.map { Choice(value: $0, title: $0) }) }
  }

  struct Choice: Hashable, Sendable {
    let value: String
    let title: String
  }

  /// The JSON pointer of the member in the body, or the name of a part of the path in braces. Empty for the whole body.
  let place: String
  let title: String
  let kind: Kind
  let value: String
  /// The form whose response fills the field; empty for none.
  let source: String
  /// The member of ``ExampleAds`` that fills the field; empty for none.
  let example: String

  init(
    _ place: String, _ title: String, _ value: String = "", kind: Kind = .text, filledBy source: String = "",
    example: String = ""
  ) {
    self.place = place
    self.title = title
    self.kind = kind
    self.value = value
    self.source = source
    self.example = example
  }

  /// - Parameter id: The identifier of the field in the document.
  func markup(id: String) -> Markup {
    let from: Markup = source.isEmpty ? "" : " data-from=\"\(source)\""
    let filled: Markup = example.isEmpty ? "" : " data-example=\"\(example)\""
    let attributes: Markup = "id=\"\(id)\" data-at=\"\(place)\" data-kind=\"\(kind.name)\"\(from)\(filled)"
    return
      "<div class=\"field\(kind.isWide ? " wide" : "")\">\(control(attributes))<p class=\"problem\" id=\"\(id)-fault\"></p></div>"
  }

  private func control(_ attributes: Markup) -> Markup {
    switch kind {
    case .text: "<label>\(title) <input \(attributes) value=\"\(value)\"></label>"
    case .number: "<label>\(title) <input \(attributes) value=\"\(value)\" inputmode=\"numeric\"></label>"
    case .flag:
      "<label class=\"check\"><input type=\"checkbox\" \(attributes)\(value == "true" ? " checked" : "")> \(title)</label>"
    case .choice(let choices):
      "<label>\(title) <select \(attributes)>\(choices.map { $0.markup(isSelected: $0.value == value) })</select></label>"
    case .json: "<label>\(title) <textarea \(attributes) rows=\"6\">\(value)</textarea></label>"
    case .manifest:
      """
      <div class="drop" data-drop><label>\(title), XML <textarea \(attributes) rows="9">\(value)</textarea></label>
      <div class="row"><label>File, or drop one here <input type="file" data-file accept=".plist"></label>\
      <button type="button" data-remove hidden>Remove the file</button></div></div>
      """
    }
  }
}

extension TryField.Kind {
  fileprivate var name: String {
    switch self {
    case .text: "text"
    case .number: "number"
    case .flag: "flag"
    case .choice: "choice"
    case .json: "json"
    case .manifest: "manifest"
    }
  }

  fileprivate var isWide: Bool { self == .json || self == .manifest }
}

extension TryField.Choice {
  fileprivate func markup(isSelected: Bool) -> Markup {
    "<option value=\"\(value)\"\(isSelected ? " selected" : "")>\(title)</option>"
  }
}
