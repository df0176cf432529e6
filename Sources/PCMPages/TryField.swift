import PCMCore

/// A field of a form that calls the API.
struct TryField: Sendable {
  enum Kind: Hashable, Sendable {
    case text
    /// A number, which the script sends as such. Other text is sent unchanged, so that the API explains the fault.
    case number
    case flag
    /// Words to choose from. The request omits an empty choice.
    case choice([String])
    case json
    /// An Info.plist as text or as a file.
    case manifest
  }

  /// The first value of a field.
  enum Example: Sendable, ExpressibleByStringLiteral {
    case value(String)
    /// The value of this name in an ad that the service signs at the time of the browser.
    case signed(String)
    /// The identifier in the response to the form with this identifier; the first one is `value`.
    case response(to: String, value: String)

    init(stringLiteral value: String) { self = .value(value) }

    var value: String {
      switch self {
      case .value(let value), .response(_, let value): value
      case .signed: ""
      }
    }
  }

  /// The JSON pointer of the member in the body, or the name of a part of the path in braces. Empty for the whole body.
  let place: String
  let title: String
  /// The description of the member in the API.
  let hint: String
  let kind: Kind
  let example: Example

  init(_ place: String, _ title: String, _ example: Example, hint: String = "", kind: Kind = .text) {
    self.place = place
    self.title = title
    self.hint = hint
    self.kind = kind
    self.example = example
  }
}

extension TryField {
  /// Returns a field for each member of a body that is required, has a default, or has an example, in the body's order.
  static func members<Body: JSONBody>(of body: Body.Type, _ examples: [String: Example]) -> [TryField] {
    let defaults = Body().json
    return Body.definition.description.members.compactMap { member in
      if let example = examples[member.name] { return TryField(member, at: "", example) }
      guard !member.isRequired else { return TryField(member, at: "", "") }
      guard let value = defaults[member.name], value.members.isEmpty else { return nil }
      return TryField(member, at: "", .value(value.string ?? value.text))
    }
  }

  /// Returns a field for each property of a change, which the script fills with its current value.
  ///
  /// - Parameter pointer: The place of the change in the body.
  static func properties(of change: BodyDescription, at pointer: String) -> [TryField] {
    change.members.flatMap { member in
      guard case .object(let inner) = member.value.kind else { return [TryField(member, at: pointer, "")] }
      return properties(of: inner, at: "\(pointer)/\(member.name)")
    }
  }

  /// Creates the field of a parameter of the path.
  init(parameter name: String, _ example: Example) {
    self.init("{\(name)}", Self.title(of: name), example)
  }

  private init(_ member: BodyDescription.Member, at pointer: String, _ example: Example) {
    let words = member.value.keywords.first { $0.name == "enum" }?.value.items.compactMap(\.string) ?? []
    let kind: Kind =
      switch member.value.kind {
      case .text where !words.isEmpty: .choice(pointer.isEmpty && example.value.isEmpty ? [""] + words : words)
      case .text: .text
      case .flag: .flag
      case .integer, .number: .number
      case .list, .object: .json
      }
    self.init("\(pointer)/\(member.name)", Self.title(of: member.name), example, hint: member.text, kind: kind)
  }

  /// `Destination URL` for `destinationURL`.
  private static func title(of name: String) -> String {
    var words = [""]
    for character in name {
      if character.isUppercase, words.last?.last?.isUppercase != true { words.append("") }
      words[words.count - 1].append(character)
    }
    let title = words.map { word in
      let isAbbreviation = ["id", "jws", "url"].contains(word.lowercased()) || word.count > 1 && word == word.uppercased()
      return isAbbreviation ? word.uppercased() : word.lowercased()
    }.joined(separator: " ")
    return title.prefix(1).uppercased() + title.dropFirst()
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

extension TryField {
  /// - Parameter id: The identifier of the field in the document.
  func markup(id: String) -> Markup {
    let filled: Markup =
      switch example {
      case .value: ""
      case .signed(let name): " data-example=\"\(name)\""
      case .response(let form, _): " data-from=\"\(form)\""
      }
    let attributes: Markup =
      "id=\"\(id)\" data-at=\"\(place)\" data-kind=\"\(kind.name)\" aria-describedby=\"\(id)-hint\"\(filled)"
    return """
      <div class="field\(kind.isWide ? " wide" : "")">\(control(attributes))\
      <p class="hint" id="\(id)-hint">\(Markup(prose: hint))</p><p class="problem" id="\(id)-fault"></p></div>
      """
  }

  private func control(_ attributes: Markup) -> Markup {
    let value = example.value
    return switch kind {
    case .text: "<label>\(title) <input \(attributes) value=\"\(value)\"></label>"
    case .number: "<label>\(title) <input \(attributes) value=\"\(value)\" inputmode=\"numeric\"></label>"
    case .flag:
      "<label class=\"check\"><input type=\"checkbox\" \(attributes)\(value == "true" ? " checked" : "")> \(title)</label>"
    case .choice(let words): "<label>\(title) <select \(attributes)>\(words.map { option($0) })</select></label>"
    case .json: "<label>\(title) <textarea \(attributes) rows=\"6\">\(value)</textarea></label>"
    case .manifest:
      """
      <div class="drop" data-drop><label>\(title), XML <textarea \(attributes) rows="9">\(value)</textarea></label>
      <div class="row"><label>File, or drop one here <input type="file" data-file accept=".plist"></label>\
      <button type="button" data-remove hidden>Remove the file</button></div></div>
      """
    }
  }

  private func option(_ word: String) -> Markup {
    "<option value=\"\(word)\"\(word == example.value ? " selected" : "")>\(word.isEmpty ? "absent" : word)</option>"
  }
}
