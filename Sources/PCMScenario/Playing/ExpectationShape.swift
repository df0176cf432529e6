import PCMCore

/// An actual value, reduced to the shape of the expected value: only the specified members, in the same order.
enum ExpectationShape {
  /// Returns the value that meets the expectation when it is written in its place.
  ///
  /// A time becomes the expected window if that contains the time, and otherwise the hour of the time. Items without an expected
  /// item have no windows.
  static func actual(_ actual: JSON, like expected: SourceNode?, as form: ExpectationForm) -> JSON {
    switch (form, expected?.value, actual) {
    case (.whole, _, _): return actual
    case (.event, .object?, .object): break
    case (.event, _, .object): return actual["kind"] ?? .null
    default: break
    }
    switch (expected?.value, actual) {
    case (.object(let members)?, .object):
      return .object(
        members.compactMap { member in
          let (found, form) = (actual[member.name] ?? .null, form.member(member.name))
          let value = form == .window ? window(found, member.node) : self.actual(found, like: member.node, as: form)
          return value.map { JSON.Member(member.name, $0) }
        })
    case (.list(let items)?, .array(let found)): return list(found, like: items, as: form)
    case (nil, .object(let members)):
      guard case .object(_, let essential) = form else { return actual }
      return .object(members.filter { essential.contains($0.name) })
    default: return actual
    }
  }

  private static func window(_ actual: JSON, _ expected: SourceNode) -> JSON? {
    guard let time = actual.string.flatMap(Interval.init(text:)) else { return nil }
    if let window = ExpectedWindow(expected), window.contains(time) { return expected.json }
    let hour = Interval.hours(1).milliseconds
    let start = Interval(milliseconds: time.milliseconds / hour * hour)
    return [.string(start.text), .string((start + .hours(1)).text)]
  }

  /// Items have the shape of the expected items at the same index. Additional items have the shape of the last expected item,
  /// without its windows.
  private static func list(_ found: [JSON], like items: [SourceNode], as form: ExpectationForm) -> JSON {
    let flat = items.flatMap { item in
      if form.isGrouped, case .list(let members) = item.value { return members }
      return [item]
    }
    return .array(
      found.enumerated().map { index, item in
        let isExpected = index < flat.count
        return actual(item, like: isExpected ? flat[index] : flat.last?.withoutWindows(as: form.item), as: form.item)
      })
  }
}

extension SourceNode {
  fileprivate func withoutWindows(as form: ExpectationForm) -> SourceNode {
    guard case .object(let members) = value else { return self }
    return SourceNode(.object(members.filter { form.member($0.name) != .window }), at: place)
  }
}
