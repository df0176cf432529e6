import PCMCore

/// Cuts a failing plan down: first whole pieces, then single operations, then the rest is made plainer. The result
/// fails by the same check, and no single operation of it can be missed.
struct Shrinking {
  /// Runs a plan and returns its violation.
  let violation: (Plan) async throws -> Violation?
  /// So many plans are tried at most.
  var budget = 600

  /// - Parameter failure: The result of `violation` for the plan.
  mutating func shrink(_ plan: Plan, failing failure: Violation) async throws -> Plan {
    var smallest = plan
    smallest.operations = Array(plan.operations.prefix(failure.after))
    guard try await fails(smallest, like: failure) else { return plan }
    var before: Plan
    repeat {
      before = smallest
      try await cut(&smallest, failure)
      try await simplify(&smallest, failure)
    } while smallest != before && budget > 0
    return smallest
  }

  private mutating func cut(_ plan: inout Plan, _ failure: Violation) async throws {
    var size = max(1, plan.operations.count / 2)
    while true {
      var start = 0
      while start < plan.operations.count {
        var shorter = plan
        shorter.operations.removeSubrange(start..<min(start + size, plan.operations.count))
        if try await fails(shorter, like: failure) { plan = shorter } else { start += size }
      }
      guard size > 1 else { return }
      size /= 2
    }
  }

  private mutating func simplify(_ plan: inout Plan, _ failure: Violation) async throws {
    for plainer in plan.plainerHeads where try await fails(plainer, like: failure) { plan = plainer }
    for index in plan.operations.indices {
      for operation in plan.operations[index].plainer {
        var plainer = plan
        plainer.operations[index] = operation
        guard try await fails(plainer, like: failure) else { continue }
        plan = plainer
        break
      }
    }
  }

  private mutating func fails(_ plan: Plan, like failure: Violation) async throws -> Bool {
    guard budget > 0 else { return false }
    budget -= 1
    guard let found = try await violation(plan) else { return false }
    return found.judge == failure.judge && found.check == failure.check
  }
}

extension Plan {
  /// One thing plainer each.
  fileprivate var plainerHeads: [Plan] {
    var plans: [Plan] = []
    func add(_ change: (inout Plan) -> Void) {
      var plan = self
      change(&plan)
      if plan != self { plans.append(plan) }
    }
    add { $0.storage = .memory }
    add { $0.policy = .webkit }
    add { $0.startsPrivate = false }
    add { $0.startsInDebugMode = false }
    return plans
  }
}

extension Operation {
  /// Plainer operations to try in its place, the plainest first.
  fileprivate var plainer: [Operation] {
    switch self {
    case .advance(let interval):
      let round = [Interval.seconds(1), .hours(1), .days(1), .days(2), .days(3), .days(8)]
      return round.filter { $0 < interval }.map { .advance($0) }
    case .untilIdle: return [.advance(.days(2)), .advance(.days(3))]
    case .toNextEvent: return [.advance(.days(2))]
    case .click(let step): return step.plainer.map { .click($0) }
    case .pixel(let step): return step.plainer.map { .pixel($0) }
    case .network(let weather): return weather == .refusing ? [] : [.network(.refusing)]
    default: return []
    }
  }
}

extension ClickStep {
  fileprivate var plainer: [ClickStep] {
    guard way != .link || app != nil else { return [] }
    return [ClickStep(way: .link, id: id, source: source, destination: destination, app: nil)]
  }
}

extension PixelStep {
  fileprivate var plainer: [PixelStep] {
    var cross = self
    (cross.hop, cross.target, cross.attributionSource) = (source, source, nil)
    var lowest = self
    lowest.priority = 0
    var inSafari = self
    inSafari.app = nil
    return [cross, lowest, inSafari].filter { $0 != self }
  }
}
