import PCMCore
import PCMPages

/// The values that an encoding cannot tell apart: they have the same number.
struct AmbiguousNumbers {
  /// A number with several values, the most frequent first.
  struct Group {
    let number: String
    let values: [(text: String, events: Int)]

    var events: Int { values.reduce(0) { $0 + $1.events } }
  }

  let column: String
  /// The column of the values.
  let from: String
  /// Nil for more values than the limit.
  let valueCount: Int?
  let numberCount: Int
  /// The numbers with several values, the most frequent first.
  let groups: [Group]

  /// The number of groups, and of the values of each, in results.
  private static let shownCount = 10
  /// The number of groups in a text.
  private static let writtenCount = 3

  init(_ encoding: CellEncoding, _ values: EncodedValues) {
    (column, from) = (encoding.column, encoding.from)
    var groups: [[UInt8]: [(text: String, events: Int)]] = [:]
    for (value, events) in values.counts {
      guard let number = try? encoding.number(of: value[...]) else { continue }
      groups[number, default: []].append((String(decoding: value, as: UTF8.self), events))
    }
    valueCount = values.isBeyondLimit ? nil : values.counts.count
    numberCount = groups.count
    self.groups = groups.filter { $0.value.count > 1 }
      .map { number, values in
        Group(
          number: String(decoding: number, as: UTF8.self),
          values: values.sorted { ($1.events, $0.text) < ($0.events, $1.text) })
      }
      .sorted { ($1.events, $0.number) < ($0.events, $1.number) }
  }

  /// The number of values that share a number with another.
  var sharingCount: Int { groups.reduce(0) { $0 + $1.values.count } }

  private var shown: ArraySlice<Group> { groups.prefix(Self.shownCount) }

  /// The lines of a text; none if all values differ in their numbers.
  var text: [String] {
    guard let valueCount else {
      return VerdictText.field(
        "shared", "more than \(EncodedValues.limit) values of \(from.visible) have a number of \(column)")
    }
    guard !groups.isEmpty else { return [] }
    let parts = groups.prefix(Self.writtenCount).map {
      "\($0.number) (\($0.values.count) values, \(counted($0.events, "event")))"
    }
    let rest = groups.count > Self.writtenCount ? ["and \(groups.count - Self.writtenCount) more numbers"] : []
    let list = (parts + rest).joined(separator: ", ")
    return VerdictText.field(
      "shared", "\(sharingCount) of \(valueCount) values of \(from.visible) share a number of \(column): \(list)")
  }

  var json: JSON {
    [
      "column": .string(column), "from": .string(from), "values": valueCount.map { .number(Int64($0)) } ?? .null,
      "numbers": valueCount.map { _ in .number(Int64(numberCount)) } ?? .null,
      "sharing": valueCount.map { _ in .number(Int64(sharingCount)) } ?? .null,
      "shared": .array(
        shown.map { group in
          [
            "number": Int64(group.number).map { .number($0) } ?? .string(group.number), "events": .number(Int64(group.events)),
            "count": .number(Int64(group.values.count)),
            "values": .array(
              group.values.prefix(Self.shownCount).map { ["value": .string($0.text), "events": .number(Int64($0.events))] }),
          ]
        }),
    ]
  }

  var markup: Markup {
    guard let valueCount, !groups.isEmpty else { return .none }
    let rows = shown.map { group -> Markup in
      let values = group.values.prefix(Self.shownCount).map { "\($0.text.visible) (\($0.events))" }
      let others = group.values.count > Self.shownCount ? ["and \(group.values.count - Self.shownCount) more"] : []
      return """
        <tr><td>\(group.number)</td><td>\(group.events)</td><td>\((values + others).joined(separator: ", "))</td></tr>
        """
    }
    let rest: Markup =
      groups.count > Self.shownCount
      ? "<p class=\"soft\">Of \(groups.count) such numbers, these have the most events.</p>" : .none
    return """
      <section>
      <h2>Shared numbers of \(column)</h2>
      <p class="soft">\(sharingCount) of \(valueCount) values of \(from.visible) share a number with another value. Reports with this number
      do not tell them apart.</p>
      <table>
      <thead><tr><th scope="col">\(column)</th><th scope="col">Events</th><th scope="col">Values</th></tr></thead>
      <tbody>\(rows)</tbody>
      </table>
      \(rest)
      </section>
      """
  }
}

extension SimulationSummary {
  /// The values that the encodings of the profile do not tell apart, by encoding.
  var ambiguousNumbers: [AmbiguousNumbers] {
    encodings.enumerated().map { index, encoding in
      AmbiguousNumbers(encoding, counts.encodedValues.count > index ? counts.encodedValues[index] : EncodedValues())
    }
  }
}
