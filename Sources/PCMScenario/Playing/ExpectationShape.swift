import PCMCore

/// An actual value, reduced to the shape of the expected one: only the specified members, in the same order.
enum ExpectationShape {
  /// Returns the value for display.
  static func shown(_ actual: JSON, like expected: SourceNode?, as form: ExpectationForm) -> JSON {
    shape(actual, like: expected, as: form) { actual, _ in actual }
  }

  /// Returns the value that meets the expectation when written in its place. Existing windows remain, because they are
  /// requirements and not random values, and no new ones are added. Nil for a window itself.
  static func written(_ actual: JSON, like expected: SourceNode, as form: ExpectationForm) -> JSON? {
    form == .window ? nil : shape(actual, like: expected, as: form) { _, expected in expected?.json }
  }

  private static func shape(
    _ actual: JSON, like expected: SourceNode?, as form: ExpectationForm, window: (JSON, SourceNode?) -> JSON?
  ) -> JSON {
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
          let value = form == .window ? window(found, member.node) : shape(found, like: member.node, as: form, window: window)
          return value.map { JSON.Member(member.name, $0) }
        })
    case (.list(let items)?, .array(let found)): return list(found, like: items, as: form, window: window)
    case (nil, .object(let members)):
      guard case .object(_, let essential) = form else { return actual }
      return .object(members.filter { essential.contains($0.name) })
    default: return actual
    }
  }

  /// Items have the shape of the expected ones at the same index. Additional items have that of the last one, without its
  /// windows.
  private static func list(
    _ found: [JSON], like items: [SourceNode], as form: ExpectationForm, window: (JSON, SourceNode?) -> JSON?
  ) -> JSON {
    let flat = items.flatMap { item in
      if form.isGrouped, case .list(let members) = item.value { return members }
      return [item]
    }
    return .array(
      found.enumerated().map { index, item in
        guard flat.count <= index else { return shape(item, like: flat[index], as: form.item, window: window) }
        return shape(item, like: flat.last, as: form.item) { actual, _ in window(actual, nil) }
      })
  }
}
