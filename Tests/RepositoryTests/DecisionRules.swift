/// Decision records: few enough to read, without a gap in their numbers, each with its three parts.
///
/// - Parameter records: The files of the folder of decisions, in order.
func decisionFindings(in records: [SourceFile]) -> [Finding] {
  let tooMany = records.dropFirst(45).map { Finding($0.path, rule: "more than 45 decision records") }
  return tooMany
    + records.enumerated().flatMap { index, record in numberFindings(of: record, index) + partFindings(of: record) }
}

private func numberFindings(of record: SourceFile, _ index: Int) -> [Finding] {
  let digits = String(index + 1)
  let number = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  guard !record.name.hasPrefix(number + "-") || !record.name.hasSuffix(".md") else { return [] }
  return [Finding(record.path, rule: "name of a decision record", "expected \(number)-title.md")]
}

/// A record is a title and three paragraphs.
private func partFindings(of record: SourceFile) -> [Finding] {
  let starts = ["# ", "**Context.** ", "**Decision.** ", "**Consequence.** "]
  let paragraphs = record.lines.split(separator: "").compactMap(\.first)
  guard paragraphs.count != starts.count || !zip(paragraphs, starts).allSatisfy({ $0.hasPrefix($1) }) else { return [] }
  return [Finding(record.path, rule: "parts of a decision record", "expected a title, Context, Decision, and Consequence")]
}
