import Testing

/// A reader of the exposition format that believes nothing: each sample must belong to the family that was announced
/// last, and a histogram must add up.
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
        guard ["counter", "gauge", "histogram"].contains(words[3]) else { throw Malformed(description: "type \(words[3])") }
        (name, types[helped]) = (helped, words[3])
      } else {
        try read(line, of: name)
      }
    }
    try checkHistograms()
  }

  private mutating func read(_ line: Substring, of family: String) throws {
    guard let space = line.lastIndex(of: " ") else { throw Malformed(description: "no value in \"\(line)\"") }
    let (series, number) = (String(line[..<space]), line[line.index(after: space)...])
    let name = series.prefix { $0 != "{" }
    let suffixes = types[family] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
    guard suffixes.contains(where: { name == family + $0 }), let value = Double(number), values[series] == nil else {
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

  /// Buckets never fall, and the last one counts everything.
  private func checkHistograms() throws {
    for (series, count) in values {
      guard let name = types.first(where: { $0.value == "histogram" && series.hasPrefix($0.key + "_count") })?.key else {
        continue
      }
      let labels = series.dropFirst("\(name)_count".count).dropFirst().dropLast()
      let buckets = values.filter { $0.key.hasPrefix("\(name)_bucket{\(labels),le=") }
      let sorted = try buckets.map { key, value in
        guard let bound = key.split(separator: "le=\"").last?.dropLast(2) else { throw Malformed(description: key) }
        return (bound: Double(bound) ?? .infinity, value: value)
      }.sorted { $0.bound < $1.bound }
      guard sorted.last?.bound == .infinity, sorted.last?.value == count, values["\(name)_sum{\(labels)}"] != nil,
        zip(sorted, sorted.dropFirst()).allSatisfy({ $0.value <= $1.value })
      else { throw Malformed(description: "the histogram \(series) does not add up") }
    }
  }

  /// What grew since another scrape, and by how much; what stood still is left out.
  func growth(since old: Scrape) -> [String: Double] {
    values.reduce(into: [:]) { growth, sample in
      let difference = sample.value - (old.values[sample.key] ?? 0)
      if difference != 0 { growth[sample.key] = difference }
    }
  }
}
