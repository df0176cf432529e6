import Testing

/// A reader of the exposition format that believes nothing: each sample must belong to the family that was announced
/// last.
struct Scrape {
  struct Malformed: Error, CustomStringConvertible {
    let description: String
  }

  private(set) var types: [String: String] = [:]
  /// By name and labels as they stand in the text.
  private(set) var values: [String: Double] = [:]
  /// Every value that a label has anywhere.
  private(set) var labelValues: [String: Set<String>] = [:]

  init(_ text: String) throws {
    guard text.hasSuffix("\n") else { throw Malformed(description: "the last line has no end") }
    var (name, helped) = ("", "")
    for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
      if line.hasPrefix("# HELP "), words.count == 4 {
        helped = words[2]
      } else if line.hasPrefix("# TYPE "), words.count == 4, words[2] == helped, types[helped] == nil {
        guard ["counter", "gauge"].contains(words[3]) else { throw Malformed(description: "type \(words[3])") }
        (name, types[helped]) = (helped, words[3])
      } else {
        try read(line, of: name)
      }
    }
  }

  private mutating func read(_ line: Substring, of family: String) throws {
    guard let space = line.lastIndex(of: " ") else { throw Malformed(description: "no value in \"\(line)\"") }
    let (series, number) = (String(line[..<space]), line[line.index(after: space)...])
    let name = series.prefix { $0 != "{" }
    guard name == family, let value = Double(number), values[series] == nil else {
      throw Malformed(description: "\"\(line)\" under \(family)")
    }
    values[series] = value
    for (label, value) in try Self.labels(series.dropFirst(name.count)) { labelValues[label, default: []].insert(value) }
  }

  private static func labels(_ text: Substring) throws -> [(String, String)] {
    guard !text.isEmpty else { return [] }
    guard text.hasPrefix("{"), text.hasSuffix("}") else { throw Malformed(description: "labels \(text)") }
    var (rest, labels) = (text.dropFirst().dropLast(), [(String, String)]())
    while !rest.isEmpty {
      let name = rest.prefix { $0.isASCII && ($0.isLowercase || $0 == "_") }
      rest = rest.dropFirst(name.count)
      guard !name.isEmpty, rest.hasPrefix("=\"") else { throw Malformed(description: "label at \(rest)") }
      rest = rest.dropFirst(2)
      var value = ""
      while let character = rest.popFirst(), character != "\"" {
        guard character == "\\" else {
          value.append(character)
          continue
        }
        switch rest.popFirst() {
        case "\\": value.append("\\")
        case "\"": value.append("\"")
        case "n": value.append("\n")
        default: throw Malformed(description: "escape in \(text)")
        }
      }
      labels.append((String(name), value))
      guard rest.isEmpty || rest.popFirst() == "," else { throw Malformed(description: "no comma in \(text)") }
    }
    return labels
  }

  /// The growth of each metric since another scrape, without unchanged metrics.
  func growth(since old: Scrape) -> [String: Double] {
    values.reduce(into: [:]) { growth, sample in
      let difference = sample.value - (old.values[sample.key] ?? 0)
      if difference != 0 { growth[sample.key] = difference }
    }
  }
}
