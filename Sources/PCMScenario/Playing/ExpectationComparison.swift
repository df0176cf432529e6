import PCMCore

/// Compares expected with actual values and collects the differences.
struct ExpectationComparison {
  private(set) var mismatches: [ScenarioResult.Mismatch] = []

  var holds: Bool { mismatches.isEmpty }

  /// - Parameter path: The path of the expectation.
  mutating func compare(_ expected: SourceNode, with actual: JSON, as form: ExpectationForm, at path: ExpectationPath) {
    if form == .window { return compareWindow(expected, with: actual, at: path) }
    if form == .whole {
      if expected.json.text != actual.text { differ(expected, actual, form, path) }
      return
    }
    switch (expected.value, actual) {
    case (.text(let kind), .object) where form == .event:
      if actual["kind"]?.string != kind { differ(expected, actual, form, path) }
    case (.object(let members), .object):
      for member in members {
        compare(member.node, with: actual[member.name] ?? .null, as: form.member(member.name), at: path / member.name)
      }
    case (.list(let items), .array(let found)): compare(items, of: expected, with: found, as: form, at: path)
    default:
      if expected.json != actual { differ(expected, actual, form, path) }
    }
  }

  private mutating func compare(
    _ items: [SourceNode], of list: SourceNode, with found: [JSON], as form: ExpectationForm, at path: ExpectationPath
  ) {
    let wanted = items.reduce(0) { $0 + ExpectationGroup($1, in: form).members.count }
    guard wanted == found.count else {
      let (expected, actual) = (list.json, ExpectationShape.actual(.array(found), like: list, as: form))
      let words = "\(wanted) \(wanted == 1 ? "item" : "items"), found \(found.count)"
      return add(
        list, actual, path,
        "expected \(path.words) to have \(words): expected \(Words.short(expected)), found \(Words.short(actual))")
    }
    var rest = found[...]
    for (index, item) in items.enumerated() {
      let group = ExpectationGroup(item, in: form)
      let part = Array(rest.prefix(group.members.count))
      rest = rest.dropFirst(part.count)
      if group.isAlone {
        compare(item, with: part[0], as: form.item, at: path / index)
      } else if !group.matches(part, as: form.item) {
        let actual = ExpectationShape.actual(.array(part), like: item, as: .list(form.item, isGrouped: false))
        add(
          item, actual, path / index,
          "expected \((path / index).words) to be, in any order, \(Words.short(item.json)); found \(Words.short(actual))")
      }
    }
  }

  private mutating func compareWindow(_ expected: SourceNode, with actual: JSON, at path: ExpectationPath) {
    let time = actual.string.flatMap(Interval.init(text:))
    if let window = ExpectedWindow(expected), let time, window.contains(time) { return }
    let ends = expected.json.items.map(Words.short).joined(separator: " and before ")
    add(expected, actual, path, "expected \(path.words) from \(ends), found \(Words.short(actual))")
  }

  private mutating func differ(
    _ expected: SourceNode, _ actual: JSON, _ form: ExpectationForm, _ path: ExpectationPath
  ) {
    let shown = ExpectationShape.actual(actual, like: expected, as: form)
    add(
      expected, shown, path,
      "expected \(path.words) \(Words.short(expected.json)), found \(Words.short(shown))")
  }

  private mutating func add(_ expected: SourceNode, _ actual: JSON, _ path: ExpectationPath, _ detail: String) {
    mismatches.append(
      ScenarioResult.Mismatch(
        place: expected.place, pointer: path.pointer, expected: expected.json, actual: actual, detail: detail))
  }
}

/// An item of an expected list: a single item, or several in any order.
private struct ExpectationGroup {
  let members: [SourceNode]
  let isAlone: Bool

  init(_ item: SourceNode, in form: ExpectationForm) {
    if form.isGrouped, case .list(let members) = item.value {
      (self.members, isAlone) = (members, false)
    } else {
      (members, isAlone) = ([item], true)
    }
  }

  /// Whether each expected item has a distinct match. Uses augmenting paths, because an item can match several.
  func matches(_ found: [JSON], as form: ExpectationForm) -> Bool {
    let fits = members.map { member in
      found.indices.filter { index in
        var trial = ExpectationComparison()
        trial.compare(member, with: found[index], as: form, at: ExpectationPath())
        return trial.holds
      }
    }
    var takenBy: [Int: Int] = [:]
    func place(_ member: Int, _ seen: inout Set<Int>) -> Bool {
      for index in fits[member] where seen.insert(index).inserted {
        guard let owner = takenBy[index] else {
          takenBy[index] = member
          return true
        }
        if place(owner, &seen) {
          takenBy[index] = member
          return true
        }
      }
      return false
    }
    return members.indices.allSatisfy { member in
      var seen: Set<Int> = []
      return place(member, &seen)
    }
  }
}
