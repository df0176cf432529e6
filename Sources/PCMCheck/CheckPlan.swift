/// What an examination sends, known before it starts.
package struct CheckPlan: Sendable {
  /// The probes that may be due, in their order; what stands together is sent at once.
  let steps: [[Probe]]
  /// The most requests that are sent, connections without a request among them.
  package let plannedRequests: Int

  package init(_ options: CheckOptions) {
    let due = Set(CheckCatalog.needed(options.rules).flatMap(\.probes))
    steps = Probe.steps.map { $0.filter(due.contains) }.filter { !$0.isEmpty }
    plannedRequests = due.reduce(0) { $0 + $1.mostRequests(options) }
  }
}
