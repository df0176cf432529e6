package import PCMCore

extension JSON {
  /// The value as an XML property list, so that a recording contains a manifest that was sent as JSON.
  package var propertyList: String { "<plist version=\"1.0\">\(element)</plist>\n" }

  private var element: String {
    switch self {
    case .null: ""
    case .bool(let value): value ? "<true/>" : "<false/>"
    case .number(let number): "<integer>\(number)</integer>"
    case .verbatim(let number): "<real>\(number)</real>"
    case .string(let text): "<string>\(Scenario.App.escaped(text))</string>"
    case .array(let items): "<array>\(items.map(\.element).joined())</array>"
    case .object(let members):
      "<dict>\(members.map { "<key>\(Scenario.App.escaped($0.name))</key>\($0.value.element)" }.joined())</dict>"
    }
  }
}
