import PCMCheck
import Testing

/// A fault as the admin surface takes it, and the rules that fail for it.
struct FaultRow: Sendable, CustomTestStringConvertible {
  let fault: String
  let failing: [String]

  init(_ fault: String, _ failing: String...) {
    self.fault = fault
    self.failing = failing
  }

  var testDescription: String { fault }

  private var isOfTime: Bool { failing.contains { $0.hasSuffix("-within-2-seconds") } }

  /// Examines the reference endpoint while it has this fault.
  func check(_ change: (inout CheckOptions) throws -> Void = { _ in }) async throws {
    try await ReceiveStage.run { stage async throws in
      try await stage.order(fault)
      let examination = try await stage.examine { options in
        if isOfTime { options.patience = CheckOptions.Patience() }
        try change(&options)
      }
      #expect(examination.failedRules == failing, "\(fault): \(examination.failures)")
      #expect(examination.roots.isSubset(of: failing))
      #expect(examination.sentRequests <= examination.plannedRequests)
    }
  }
}
