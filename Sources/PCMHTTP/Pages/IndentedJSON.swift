import PCMCore

/// JSON for people: one member in each line.
enum IndentedJSON {
  static func text(_ json: JSON) -> String {
    guard let value = JSON(parsing: json.bytes) else { return json.text }
    return text(value, indentation: "")
  }

  private static func text(_ json: JSON, indentation: String) -> String {
    let inner = indentation + "  "
    switch json {
    case .object(let members) where !members.isEmpty:
      let lines = members.map { "\(inner)\(JSON.string($0.name).text): \(text($0.value, indentation: inner))" }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indentation)}"
    case .array(let items) where !items.isEmpty:
      let lines = items.map { inner + text($0, indentation: inner) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(indentation)]"
    default: return json.text
    }
  }
}
